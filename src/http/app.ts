/** Builds the whole HTTP application. It never listens: main does, and tests need no port. */
import type { IncomingMessage } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { guardRoutes } from './access.ts'
import type { AppDeps } from './app-deps.ts'
import { createClientErrorHandler } from './client-errors.ts'
import { addConsoleSurface } from './console/console-surface.ts'
import { addOpenapiIndex } from './docs/openapi-index.ts'
import { addReferencePage } from './docs/reference-page.ts'
import { TRANSPORT_ERRORS } from './error-body.ts'
import { answerErrors, sendMalformedUrl, sendRefusal } from './error-handlers.ts'
import { type Closing, closeGracefully } from './graceful-close.ts'
import { createHttpServer } from './http-server.ts'
import { addLogsSurface } from './logs/logs-surface.ts'
import type { Metrics } from './metrics.ts'
import { addOperationsSurface } from './ops/operations-surface.ts'
import { addPlatformSurface } from './platform/platform-surface.ts'
import { discardBody } from './request-body.ts'
import { requestIdOf } from './request-id.ts'
import { LOG_SERIALIZERS, logAnswer, logRequests } from './request-log.ts'
import { REQUEST_ID_HEADER, SAFE_HEADERS } from './response-headers.ts'
import { SERVER_LIMITS } from './server-limits.ts'
import { addStatsSurface } from './stats/get-domain-stats.ts'
import { addTrackingSurface } from './tracking/tracking-surface.ts'
import { addV1Surface } from './v1/v1-surface.ts'

const DEFAULT_CLOSE_GRACE_MS = 15_000

/**
 * Schemas are for the documentation and its tests: parameters are read by parseQuery, answers are made to fit, and
 * JSON.stringify is faster than a compiled schema. (The framework's types expect Ajv here.)
 */
const SCHEMAS_UNUSED = {
  compilersFactory: { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** Resolves when the app is ready. Rejects when a route does not say who may call it. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { metrics } = deps
  const app = createFastify(deps, metrics)
  answerErrors(app)
  logRequests(app, metrics)
  receiveRequests(app, closeGracefully(app, deps.closeGraceMs ?? DEFAULT_CLOSE_GRACE_MS))
  guardRoutes(app, deps)
  refuseBrokenEncoding(app)
  ignoreBodies(app)

  // Scopes of their own: see describeRoutes.
  app.register((scope) => addLogsSurface(scope, deps))
  app.register((scope) => addPlatformSurface(scope, deps))
  app.register((scope) => addStatsSurface(scope, deps))
  app.register((scope) => addV1Surface(scope, deps))
  app.register((scope) => addOperationsSurface(scope, deps, metrics))
  app.register((scope) => addTrackingSurface(scope, deps))
  addOpenapiIndex(app)
  addReferencePage(app)
  addConsoleSurface(app, deps.console)
  await app.ready()
  return app
}

function createFastify(deps: AppDeps, metrics: Metrics): FastifyInstance {
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
