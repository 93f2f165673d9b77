/** The HTTP application without its routes: what happens to every request, whatever it asks for. */
import type { IncomingMessage } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { guardRoutes } from './access/access.ts'
import { TRANSPORT_ERRORS } from './answers/error-body.ts'
import { answerErrors, sendMalformedUrl, sendRefusal } from './answers/error-handlers.ts'
import { REQUEST_ID_HEADER, SAFE_HEADERS } from './answers/response-headers.ts'
import type { AdministrationDeps } from './app-deps.ts'
import type { Metrics } from './observation/metrics.ts'
import { LOG_SERIALIZERS, logAnswer, logRequests } from './observation/request-log.ts'
import { discardBody } from './request/request-body.ts'
import { requestIdOf } from './request/request-id.ts'
import { createClientErrorHandler } from './server/client-errors.ts'
import { type Closing, closeGracefully } from './server/graceful-close.ts'
import { createHttpServer } from './server/http-server.ts'
import { SERVER_LIMITS } from './server/server-limits.ts'

/** How long a close waits for requests in flight. */
export const CLOSE_GRACE_MS = 15_000

/**
 * Schemas are for the documentation and its tests: parameters are read by parseQuery, answers are made to fit, and
 * JSON.stringify is faster than a compiled schema. (The framework's types expect Ajv here.)
 */
const SCHEMAS_UNUSED = {
  compilersFactory: { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** `addRoutes` adds the surfaces. Resolves when the app is ready; rejects when a route does not say who may call it. */
export async function buildBareApp(
  deps: AdministrationDeps,
  addRoutes: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const { metrics } = deps
  const app = createFastify(deps, metrics)
  answerErrors(app)
  logRequests(app, metrics)
  receiveRequests(app, closeGracefully(app, deps.closeGraceMs ?? CLOSE_GRACE_MS))
  guardRoutes(app, deps)
  refuseBrokenEncoding(app)
  ignoreBodies(app)
  addRoutes(app)
  await app.ready()
  return app
}

function createFastify(deps: AdministrationDeps, metrics: Metrics): FastifyInstance {
  const clientErrors = createClientErrorHandler((status) => {
    metrics.countRefusedConnection(status)
    deps.logger.debug({ status }, 'refused what is no request')
  })
  const logger: FastifyBaseLogger = deps.logger.child({}, { serializers: LOG_SERIALIZERS })
  const app = fastify({
    // Given a factory, the framework also binds one address only; `localhost` would get it a second server without all this.
    serverFactory: createHttpServer,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    bodyLimit: SERVER_LIMITS.bodyBytes,
    // Its own answer while closing has another body than ours; see receiveRequests.
    return503OnClosing: false,
    schemaController: SCHEMAS_UNUSED,
    routerOptions: { maxParamLength: SERVER_LIMITS.pathParameterLength },
    clientErrorHandler: clientErrors.refuse,
    frameworkErrors(_error, request, reply) {
      reply.headers({ ...SAFE_HEADERS, [REQUEST_ID_HEADER]: request.id })
      reply.raw.once('finish', () => logAnswer(request, reply, metrics))
      sendMalformedUrl(reply)
    },
  })
  clientErrors.watch(app)
  return app
}

/** The first thing that happens to every request. */
function receiveRequests(app: FastifyInstance, closing: Closing): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SAFE_HEADERS, [REQUEST_ID_HEADER]: request.id })
    if (closing.hasBegun) {
      return sendRefusal(reply.header('connection', 'close'), 'closing', TRANSPORT_ERRORS.closing.description)
    }
    requireHost(request.raw)
    // What a body is, is decided by its content or not at all. Without this, an odd Content-Type would be refused.
    delete request.raw.headers['content-type']
  })
}

/** RFC 9112 section 3.2: a request of HTTP/1.1 without Host is answered with 400, and so is one with two of them. */
function requireHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new AppError('invalid_request', 'The Host header is missing')
  }
  // Names and values in turn; Node itself would take the first.
  if (rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1) {
    throw new AppError('invalid_request', 'The Host header was sent more than once')
  }
}

/** The framework takes a value that it cannot decode as it stands, and a search for `%zz` would look for just that. */
function refuseBrokenEncoding(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ raw: { url = '' } }) => {
    const query = url.slice(url.indexOf('?') + 1)
    if (!url.includes('?') || isDecodable(query)) return
    throw new AppError('invalid_request', 'The query string is not percent-encoded UTF-8: write % itself as %25')
  })
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Endpoints take no body unless they say so: whatever comes is read to its end and forgotten. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: unknown, payload: IncomingMessage) => discardBody(payload))
}
