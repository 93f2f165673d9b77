/** Turns everything that is thrown while a request is handled into `{error, message}`, the framework's own errors included. */
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { type ErrorRow, rowOf, TRANSPORT_ERRORS, toErrorBody } from './error-body.ts'

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((_request, reply) => sendRow(reply, { status: 404 }, 'Not found'))
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof AppError) {
    const row: ErrorRow = rowOf(error)
    if (row.status >= 500) request.log.warn({ err: error }, 'refused')
    // RFC 9110 section 11.6.1: a 401 names a scheme. The bare key has none; Bearer is accepted as well.
    if (row.status === 401) reply.header('www-authenticate', 'Bearer realm="envelog"')
    return sendRow(reply, row, error.message)
  }
  const status = clientFault(error)
  if (status !== undefined) return sendRow(reply, { status }, STATUS_CODES[status] ?? 'Refused')
  request.log.error({ err: error }, 'bug')
  const message = `Internal error. It was logged under the request id ${request.id}.`
  return sendRow(reply, TRANSPORT_ERRORS.internal_error, message)
}

/** For URLs that the router cannot decode: they reach neither a route nor the error handler. */
export function sendMalformedUrl(reply: FastifyReply): FastifyReply {
  return sendRow(reply, TRANSPORT_ERRORS.malformed_request, 'The URL is not valid: it has a broken percent-encoding')
}

export function sendRow(
  reply: FastifyReply,
  row: Pick<ErrorRow, 'status' | 'retryAfterSeconds'>,
  message: string,
): FastifyReply {
  if (row.retryAfterSeconds !== undefined) reply.header('retry-after', row.retryAfterSeconds)
  return reply
    .code(row.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(row.status, message)))
}

/** The framework marks what the caller did wrong with a status of its own. */
function clientFault(error: unknown): number | undefined {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return undefined
  const { statusCode, code } = error
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined
}
