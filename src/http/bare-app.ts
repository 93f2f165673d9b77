/** The HTTP application without its routes: the handling that all requests share. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { Networks } from '../lib/net/networks.ts'
import { guardRoutes } from './access/access.ts'
import { TRANSPORT_ERRORS } from './answers/error-body.ts'
import { answerErrors, sendMalformedUrl, sendRefusal } from './answers/error-handlers.ts'
import { REQUEST_ID_HEADER, SAFE_HEADERS } from './answers/response-headers.ts'
import type { AdministrationDeps } from './app-deps.ts'
import { auditRequests } from './observation/audit.ts'
import type { Metrics } from './observation/metrics.ts'
import { LOG_SERIALIZERS, logAnswer, logRequests } from './observation/request-log.ts'
import { discardBody } from './request/request-body.ts'
import { requestIdOf } from './request/request-id.ts'
import { createClientErrorHandler } from './server/client-errors.ts'
import { type Closing, closeGracefully } from './server/graceful-close.ts'
import { createHttpServer } from './server/http-server.ts'
import { SERVER_LIMITS } from './server/server-limits.ts'

/** Without a list of proxies, connections from this machine are probably those of a proxy: see decision 0033. */
const LOOPBACK = new Networks(['127.0.0.0/8', '::1'])

/** Grace period for requests in flight when closing. */
export const CLOSE_GRACE_MS = 15_000

/**
 * Schemas are used for the documentation and its tests only: parameters are parsed by parseQuery, and JSON.stringify is faster
 * than a compiled schema. (The framework's types expect Ajv here.)
 */
const SCHEMAS_UNUSED = {
  compilersFactory: { buildValidator: () => () => () => undefined, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** `addRoutes` adds the surfaces. Resolves when the app is ready; rejects if a route does not declare its access. */
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
  auditRequests(app, deps.audit)
  inviteBodies(app)
  refuseBrokenEncoding(app)
  ignoreBodies(app)
  addRoutes(app)
  await app.ready()
  return app
}

function createFastify(deps: AdministrationDeps, metrics: Metrics): FastifyInstance {
  const clientErrors = createClientErrorHandler((status) => {
    metrics.countRefusedConnection(status)
    deps.logger.debug({ status }, 'malformed request refused')
  })
  const logger: FastifyBaseLogger = deps.logger.child({}, { serializers: LOG_SERIALIZERS })
  const app = fastify({
    // With a factory the framework binds one address only; for `localhost` it would create a second server without these settings.
    serverFactory: (handler) =>
      createHttpServer(handler, {
        limits: deps.serverLimits,
        isProxy: (address) => deps.trustedProxies?.has(address) ?? LOOPBACK.has(address),
        onClosed: (reason) => metrics.countClosedConnection(reason),
      }),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    // Anyone can send X-Forwarded-For, so `request.ip` is the address of the connection unless that is a trusted proxy.
    // The control socket has no address: undefined, whatever the type says.
    trustProxy: deps.trustedProxies ? (address?: string) => deps.trustedProxies?.has(address ?? '') ?? false : false,
    bodyLimit: SERVER_LIMITS.bodyBytes,
    // The framework's response while closing has a different body; see receiveRequests.
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

/** Runs first for every request. */
function receiveRequests(app: FastifyInstance, closing: Closing): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SAFE_HEADERS, [REQUEST_ID_HEADER]: request.id })
    if (closing.hasBegun) {
      return sendRefusal(reply.header('connection', 'close'), 'closing', TRANSPORT_ERRORS.closing.description)
    }
    requireHost(request.raw)
    // The format of a body is detected from its content. Without this, an unknown Content-Type would be refused.
    delete request.raw.headers['content-type']
  })
}

/** RFC 9112 section 3.2: an HTTP/1.1 request without a Host header, or with more than one, gets 400. */
function requireHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new AppError('invalid_request', 'The Host header is missing')
  }
  // `rawHeaders` alternates names and values. Node itself would use the first.
  if (rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1) {
    throw new AppError('invalid_request', 'Multiple Host headers were sent')
  }
}

/** A client that asks whether to send its body (`Expect: 100-continue`) is answered once its key has been checked. */
function inviteBodies(app: FastifyInstance): void {
  const asking = new WeakSet<IncomingMessage>()
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    asking.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', async (request, reply) => {
    if (asking.has(request.raw)) reply.raw.writeContinue()
  })
}

/** The framework keeps values that it cannot decode, so that `%zz` would be searched for literally. */
function refuseBrokenEncoding(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ raw: { url = '' } }) => {
    // The router has decoded the path before.
    if (isDecodable(url)) return
    throw new AppError(
      'invalid_request',
      'The query string is not valid percent-encoded UTF-8; send a literal % as %25',
    )
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

/** Unless an endpoint declares a body, the body is read to its end and discarded. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request: unknown, payload: IncomingMessage) => discardBody(payload))
}
