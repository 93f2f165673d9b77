/**
 * One log line per request; bugs are logged once, with their full cause.
 *
 * A line contains the route's pattern, never the path or query: addresses, names and tokens of customers stay out of the log.
 * It contains the public id of the key, once the key has been validated.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from './metrics.ts'

/** The route of a request that matched none. */
const NO_ROUTE = '(none)'

/** Reduce requests, responses and errors in log lines to these fields. */
export const LOG_SERIALIZERS = {
  req: (request: Partial<FastifyRequest>) => ({ method: request.method, route: request.routeOptions?.url ?? NO_ROUTE }),
  res: (reply: Partial<FastifyReply>) => ({ statusCode: reply.statusCode }),
  err: describeCauses,
}

export function logRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => logAnswer(request, reply, metrics))
}

export function logAnswer(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const observed = {
    route: request.routeOptions?.url ?? NO_ROUTE,
    method: request.method,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
  }
  metrics.observeRequest(observed)
  const { refusalCode: code } = reply
  const keyId = request.principal?.keyId
  request.log.info({ ...observed, ...(code && { code }), ...(keyId && { keyId }) }, 'request')
}

interface DescribedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: DescribedError
}

const CAUSES_MAX = 10

/** Name, message, code and stack of an error and of its causes. Other properties may contain anything, so they are omitted. */
export function describeCauses(error: unknown, depth = 1): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeCauses(error.cause, depth + 1) }),
  }
}
