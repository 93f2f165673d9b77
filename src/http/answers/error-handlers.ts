/** Turns every error thrown while a request is handled, including those of the framework, into `{error, message}`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { STATUS_CODES } from '../../lib/net/node-http.ts'
import { type RefusalCode, rowOf, TRANSPORT_ERRORS, toErrorBody } from './error-body.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Why the request was refused; for the log only, not part of the response. */
    refusalCode?: RefusalCode
  }
}

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, 'not_found', 'Not found'))
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, status } = toRefusal(error, request)
  if (error instanceof AppError) {
    // Without a cause nothing has failed here, and the place in the code says nothing to the operator.
    if (status >= 500)
      request.log.warn(error.cause === undefined ? { code, reason: message } : { err: error }, 'refused')
    // RFC 9110 section 11.6.1: a 401 names a scheme. A plain key has none, but Bearer is accepted as well.
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="envelog"')
  }
  return sendRefusal(reply, code, message, status, error instanceof AppError ? error.retryAfterSeconds : undefined)
}

export interface Refusal {
  readonly code: RefusalCode
  readonly status: number
  readonly message: string
}

/** The error that the caller sees. A bug is logged, and the caller gets only the request id. */
export function toRefusal(error: unknown, { id, log }: Pick<FastifyRequest, 'id' | 'log'>): Refusal {
  if (error instanceof AppError) return { code: error.code, status: rowOf(error.code).status, message: error.message }
  const status = clientFault(error)
  if (status !== undefined) {
    const code = status === TRANSPORT_ERRORS.body_too_large.status ? 'body_too_large' : 'malformed_request'
    return { code, status, message: STATUS_CODES[status] ?? 'Refused' }
  }
  log.error({ err: error }, 'bug')
  const message = `Internal error; see the server's log for request id ${id}.`
  return { code: 'internal_error', status: TRANSPORT_ERRORS.internal_error.status, message }
}

/** For URLs that the router cannot decode: they reach neither a route nor the error handler. */
export function sendMalformedUrl(reply: FastifyReply): FastifyReply {
  return sendRefusal(reply, 'malformed_request', 'The URL is not valid percent-encoded UTF-8')
}

export function sendRefusal(
  reply: FastifyReply,
  code: RefusalCode,
  message: string,
  status = rowOf(code).status,
  retryAfterSeconds = rowOf(code).retryAfterSeconds,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  reply.refusalCode = code
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(status, message)))
}

/** The framework sets a 4xx status on errors caused by the client. */
function clientFault(error: unknown): number | undefined {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return undefined
  const { statusCode, code } = error
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}
