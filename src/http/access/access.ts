/**
 * Access control: each route declares its access, and this module checks it: first the host name, then the key, its rate limit
 * and its scope.
 * Nothing else of the request is examined before, so a caller without a valid key learns nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { authenticate, authenticateById, type NeededScope, requireScope } from '../../tenants/authenticate.ts'
import { LOCAL_OPERATOR, type Principal } from '../../tenants/principal.ts'
import { isSameCsrfToken, type KeySession } from '../../tenants/session.ts'
import type { AdministrationDeps, SurfaceHosts } from '../app-deps.ts'
import { keyDepsOf } from './key-deps.ts'
import { isLocalRequest } from './local-caller.ts'
import { limitOf, NO_RATES, RateLimits } from './rate-limits.ts'
import { originOf } from './same-origin.ts'
import { CSRF_HEADER, findSessionCookie } from './session-cookie.ts'

/** Parts of the API that can be bound to a host name, and those that are served under every host name. */
export type Surface = keyof SurfaceHosts | 'operations' | 'tracking' | 'docs' | 'v1' | 'console'

/** `key`: any valid key, regardless of its scopes. */
export type Access = 'public' | 'key' | NeededScope

declare module 'fastify' {
  interface FastifyContextConfig {
    surface?: Surface
    access?: Access
  }
  interface FastifyRequest {
    /** The owner of the key. Null on public routes and before the key is validated; it may still lack the route's scope. */
    principal: Principal | null
    /** Present if the request was made with a session instead of a key. */
    session: KeySession | null
  }
}

const routesOfApp = new WeakMap<FastifyInstance, RouteOptions[]>()

/** Every route of an app, including hidden ones and HEAD. */
export function listRoutes(app: FastifyInstance): readonly RouteOptions[] {
  return routesOfApp.get(app) ?? []
}

/** Must be called before any route is added. The app does not become ready if a route declares no access. */
export function guardRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  const routes: RouteOptions[] = []
  routesOfApp.set(app, routes)
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => requireDeclaredAccess(routes))

  const limits = new RateLimits(deps.rates ?? NO_RATES, deps.clock)
  app.decorateRequest('principal', null)
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return
    if (!isServedHere(request, deps.hosts)) {
      reply.callNotFound()
      return reply
    }
    await admit(request, reply, deps, limits)
  })
}

export function requireDeclaredAccess(routes: readonly RouteOptions[]): void {
  const undeclared = routes.filter(({ config }) => !config?.access || !config.surface)
  if (undeclared.length === 0) return
  const names = undeclared.map(({ method, url }) => `${String(method)} ${url}`)
  throw new Error(`These routes declare no access or no surface in their config: ${names.join(', ')}`)
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: AdministrationDeps,
  limits: RateLimits,
): Promise<void> {
  const { access, surface } = request.routeOptions.config
  if (access === 'public') return
  const principal = await identify(request, deps)
  if (!access || !surface) throw new Error('a route without declared access became ready')
  // Set before the limit and the scope are checked, so that the log shows whose key exceeds or lacks it.
  request.principal = principal
  const limit = limitOf(access, surface, request.method)
  if (limit) limits.count(limit, principal, reply)
  if (request.session) refuseForgery(request, request.session)
  if (access === 'key') return
  // The interface has no 403.
  requireScope(principal, access, surface === 'v1' ? 'forbidden' : 'missing_scope')
}

/** By the key in the header. Without that header a local caller is the operator, and under /v1 a session cookie is accepted. */
async function identify(request: FastifyRequest, deps: AdministrationDeps): Promise<Principal> {
  const { authorization, cookie } = request.headers
  if (authorization === undefined && isLocalRequest(request.raw, deps.localToken)) return LOCAL_OPERATOR
  const { sessions } = deps
  const keyDeps = keyDepsOf(deps)
  const token = request.routeOptions.config.surface === 'v1' ? findSessionCookie(cookie, request.protocol) : undefined
  if (authorization !== undefined || token === undefined) return authenticate(keyDeps, authorization, request.ip)
  const session = await sessions.read(token)
  if (!session) throw new AppError('unauthenticated', 'The session has ended; sign in again')
  const principal = await authenticateById(keyDeps, session.keyId, request.ip)
  request.session = session
  return principal
}

/** Browsers send cookies with requests of any site. A state-changing request must have our origin and the CSRF token. */
function refuseForgery({ method, headers }: FastifyRequest, { csrfToken }: KeySession): void {
  if (method === 'GET' || method === 'HEAD') return
  const presented = headers[CSRF_HEADER]
  if (originOf(headers) !== 'same') {
    throw new AppError(
      'cross_site',
      'Cross-site request refused: the Origin header is missing or does not match this server.',
    )
  }
  if (!isSameCsrfToken(csrfToken, typeof presented === 'string' ? presented : undefined)) {
    throw new AppError('cross_site', 'The X-CSRF-Token header is missing or does not match the session.')
  }
}

function isServedHere(request: FastifyRequest, hosts: SurfaceHosts | undefined): boolean {
  const { surface } = request.routeOptions.config
  const wanted = hosts?.[surface as keyof SurfaceHosts]
  return wanted === undefined || hostNameOf(request.headers.host) === hostNameOf(wanted)
}

/** Without port and trailing dot, in lower case. */
function hostNameOf(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
