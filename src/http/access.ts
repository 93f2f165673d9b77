/**
 * Who may call a route, declared once beside it and checked in one place: host name first, then the key, then its scope.
 * Only then is anything of the request looked at, so a caller without a valid key learns nothing.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { authenticate, requireOperator, requireTenant } from '../tenants/authenticate.ts'
import type { Principal, TenantPrincipal } from '../tenants/principal.ts'
import type { OperatorScope, TenantScope } from '../tenants/scope.ts'
import type { AppDeps, SurfaceHosts } from './app-deps.ts'

/** Parts of the interface that can be given a host name of their own, and those that answer everywhere. */
export type Surface = keyof SurfaceHosts | 'operations' | 'docs' | 'v1' | 'console'

export type Access = 'public' | { readonly tenant: TenantScope } | { readonly operator: OperatorScope }

declare module 'fastify' {
  interface FastifyContextConfig {
    surface?: Surface
    access?: Access
  }
  interface FastifyRequest {
    /** Whose key was sent. Null on public routes and before a key has proven valid; it may still lack the route's scope. */
    principal: Principal | null
  }
}

const routesOfApp = new WeakMap<FastifyInstance, RouteOptions[]>()

/** Every route of an app, hidden ones and HEAD included. */
export function listRoutes(app: FastifyInstance): readonly RouteOptions[] {
  return routesOfApp.get(app) ?? []
}

/** Must be called before any route is added. The app does not become ready when a route declares no access. */
export function guardRoutes(app: FastifyInstance, deps: AppDeps): void {
  const routes: RouteOptions[] = []
  routesOfApp.set(app, routes)
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => requireDeclaredAccess(routes))

  app.decorateRequest('principal', null)
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

async function admit(request: FastifyRequest, { storage, keyUses, clock }: AppDeps): Promise<void> {
  const { access } = request.routeOptions.config
  if (access === 'public') return
  const principal = await authenticate({ keys: storage.keys, uses: keyUses, clock }, request.headers.authorization)
  if (!access) throw new Error('a route without declared access became ready')
  // Before the scope is checked: the log says whose key lacks it.
  request.principal = principal
  if ('tenant' in access) requireTenant(principal, access.tenant)
  else requireOperator(principal, access.operator)
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
