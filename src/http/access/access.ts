/**
 * Who may call a route, declared once beside it and checked in one place: host name first, then the key, then its scope.
 * Only then is anything of the request looked at, so a caller without a valid key learns nothing.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { authenticate, authenticateById, requireOperator, requireTenant } from '../../tenants/authenticate.ts'
import { LOCAL_OPERATOR, type Principal, type TenantPrincipal } from '../../tenants/principal.ts'
import type { OperatorScope, TenantScope } from '../../tenants/scope.ts'
import { isSameCsrfToken, type KeySession } from '../../tenants/session.ts'
import type { AdministrationDeps, SurfaceHosts } from '../app-deps.ts'
import { isLocalRequest } from './local-caller.ts'
import { originOf } from './same-origin.ts'
import { CSRF_HEADER, SESSION_COOKIE } from './session-names.ts'

/** Parts of the interface that can be given a host name of their own, and those that answer everywhere. */
export type Surface = keyof SurfaceHosts | 'operations' | 'tracking' | 'docs' | 'v1' | 'console'

/** `key`: whoever has a valid key, whatever its scopes. */
export type Access = 'public' | 'key' | { readonly tenant: TenantScope } | { readonly operator: OperatorScope }

declare module 'fastify' {
  interface FastifyContextConfig {
    surface?: Surface
    access?: Access
  }
  interface FastifyRequest {
    /** Whose key was sent. Null on public routes and before a key has proven valid; it may still lack the route's scope. */
    principal: Principal | null
    /** Present where the key was not sent, but a session of it. */
    session: KeySession | null
  }
}

const routesOfApp = new WeakMap<FastifyInstance, RouteOptions[]>()

/** Every route of an app, hidden ones and HEAD included. */
export function listRoutes(app: FastifyInstance): readonly RouteOptions[] {
  return routesOfApp.get(app) ?? []
}

/** Must be called before any route is added. The app does not become ready when a route declares no access. */
export function guardRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  const routes: RouteOptions[] = []
  routesOfApp.set(app, routes)
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => requireDeclaredAccess(routes))

  app.decorateRequest('principal', null)
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return
    if (!isServedHere(request, deps.hosts)) {
      reply.callNotFound()
      return reply
    }
    await admit(request, deps)
  })
}

export function requireDeclaredAccess(routes: readonly RouteOptions[]): void {
  const undeclared = routes.filter(({ config }) => !config?.access || !config.surface)
  if (undeclared.length === 0) return
  const names = undeclared.map(({ method, url }) => `${String(method)} ${url}`)
  throw new Error(`These routes declare no access or no surface in their config: ${names.join(', ')}`)
}

/** For handlers of routes that declare a tenant's scope. */
export function tenantOf(request: FastifyRequest): TenantPrincipal {
  if (request.principal?.kind === 'tenant') return request.principal
  throw new Error(`${request.routeOptions.url} is handled for a tenant and declares no tenant scope`)
}

async function admit(request: FastifyRequest, deps: AdministrationDeps): Promise<void> {
  const { access, surface } = request.routeOptions.config
  if (access === 'public') return
  const principal = await identify(request, deps)
  if (!access) throw new Error('a route without declared access became ready')
  // Before the scope is checked: the log says whose key lacks it.
  request.principal = principal
  if (request.session) refuseForgery(request, request.session)
  if (access === 'key') return
  // The interface knows no 403.
  const code = surface === 'v1' ? 'forbidden' : 'missing_scope'
  if ('tenant' in access) requireTenant(principal, access.tenant, code)
  else requireOperator(principal, access.operator, code)
}

/**
 * By the key in the header. Without that header a local caller is the operator, and under /v1 the cookie of somebody who has
 * signed in will do.
 */
async function identify(request: FastifyRequest, deps: AdministrationDeps): Promise<Principal> {
  const { authorization, cookie } = request.headers
  if (authorization === undefined && isLocalRequest(request.raw, deps.localToken)) return LOCAL_OPERATOR
  const { storage, keyUses, clock, sessions } = deps
  const keyDeps = { keys: storage.control.keys, uses: keyUses, clock }
  const token = request.routeOptions.config.surface === 'v1' ? findCookie(cookie, SESSION_COOKIE) : undefined
  if (authorization !== undefined || token === undefined) return authenticate(keyDeps, authorization)
  const session = sessions.read(token)
  if (!session) throw new AppError('unauthenticated', 'The session has ended: sign in again')
  const principal = await authenticateById(keyDeps, session.keyId)
  request.session = session
  return principal
}

/** A cookie is sent along whoever made the page. What changes something must come from a page of ours, and prove it twice. */
function refuseForgery({ method, headers }: FastifyRequest, { csrfToken }: KeySession): void {
  if (method === 'GET' || method === 'HEAD') return
  const presented = headers[CSRF_HEADER]
  if (originOf(headers) !== 'same') {
    throw new AppError('cross_site', 'This is not from a page of this server: its Origin header is missing or another')
  }
  if (!isSameCsrfToken(csrfToken, typeof presented === 'string' ? presented : undefined)) {
    throw new AppError('cross_site', 'The X-CSRF-Token header is missing, or is not that of the session')
  }
}

function findCookie(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

function isServedHere(request: FastifyRequest, hosts: SurfaceHosts | undefined): boolean {
  const { surface } = request.routeOptions.config
  const wanted = hosts?.[surface as keyof SurfaceHosts]
  return wanted === undefined || hostNameOf(request.headers.host) === hostNameOf(wanted)
}

/** Without port and final dot, in lower case. */
function hostNameOf(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
