/** Turns everything that is thrown while a request is handled into `{error, message}`, the framework's own errors included. */
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { type RefusalCode, rowOf, TRANSPORT_ERRORS, toErrorBody } from './error-body.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Why the request was refused, for the log; the answer does not hold it. */
    refusalCode?: RefusalCode
  }
}

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, 'not_found', 'Not found'))
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof AppError) {
    const { status } = rowOf(error.code)
    if (status >= 500) request.log.warn({ err: error }, 'refused')
    // RFC 9110 section 11.6.1: a 401 names a scheme. The bare key has none; Bearer is accepted as well.
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="envelog"')
    return sendRefusal(reply, error.code, error.message)
  }
  const status = clientFault(error)
  if (status !== undefined) {
    const code = status === TRANSPORT_ERRORS.body_too_large.status ? 'body_too_large' : 'malformed_request'
    return sendRefusal(reply, code, STATUS_CODES[status] ?? 'Refused', status)
  }
  request.log.error({ err: error }, 'bug')
  const message = `Internal error. It was logged under the request id ${request.id}.`
  return sendRefusal(reply, 'internal_error', message)
}

/** For URLs that the router cannot decode: they reach neither a route nor the error handler. */
export function sendMalformedUrl(reply: FastifyReply): FastifyReply {
  return sendRefusal(reply, 'malformed_request', 'The URL is not valid: it has a broken percent-encoding')
}

export function sendRefusal(
  reply: FastifyReply,
  code: RefusalCode,
  message: string,
  status = rowOf(code).status,
): FastifyReply {
  const { retryAfterSeconds } = rowOf(code)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  reply.refusalCode = code
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(status, message)))
}

/** The framework marks what the caller did wrong with a status of its own. */
function clientFault(error: unknown): number | undefined {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return undefined
  const { statusCode, code } = error
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}
