/** POST, GET and DELETE /v1/session: a browser exchanges a key for a cookie that scripts cannot read. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../lib/app-error.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { clientNetworkOf } from '../../../lib/net/client-network.ts'
import { TokenBuckets } from '../../../lib/turns/token-buckets.ts'
import { VERSION } from '../../../lib/version.ts'
import { authenticate } from '../../../tenants/authenticate.ts'
import type { Principal } from '../../../tenants/principal.ts'
import { TENANT_ADDS_DOMAINS } from '../../../tenants/scope.ts'
import { type KeySession, SESSION_MS, SIGN_IN_RATE } from '../../../tenants/session.ts'
import { keyDepsOf } from '../../access/key-deps.ts'
import { originOf } from '../../access/same-origin.ts'
import { removeSessionCookies, writeSessionCookie } from '../../access/session-cookie.ts'
import type { AppDeps } from '../../app-deps.ts'
import { json, noContent, routesOf } from '../../routes/route.ts'
import { type Session, SessionSchema, SignInBody, SignOutQuery } from './session.wire.ts'

const DAY_MS = 86_400_000

export function addSession(scope: FastifyInstance, deps: AppDeps): void {
  const { sessions, clock } = deps
  const attempts = new TokenBuckets(SIGN_IN_RATE)

  routesOf(
    scope,
    'v1',
    'public',
  )('POST /v1/session', {
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'Exchanges an API key for a cookie: HttpOnly, SameSite=Strict, valid for 12 hours or until the key is revoked or expires. ' +
      `Failed sign-in attempts from one address are limited to ${SIGN_IN_RATE.burst} at once and ${SIGN_IN_RATE.perMinute} a minute.`,
    body: SignInBody,
    answer: json('Signed in; the cookie is set.', SessionSchema),
    refusals: ['unauthenticated', 'tenant_suspended', 'cross_site', 'too_many_tries'],
    async handle({ body, request, reply }) {
      // Otherwise another site could sign a visitor in with its own key and see what they search for (login CSRF).
      if (originOf(request.headers) === 'other')
        throw new AppError('cross_site', 'Cross-site request refused: sign in from a page of this server.')
      const network = clientNetworkOf(request.ip)
      if (!attempts.take(network, clock()))
        throw new AppError('too_many_tries', 'Too many failed sign-in attempts from this address; retry later.')
      const { key } = await body()
      const principal = await authenticate(keyDepsOf(deps), key, request.ip, 'reason')
      attempts.giveBack(network)
      request.principal = principal
      const session = await sessions.issue(principal.keyId)
      reply.header('set-cookie', writeSessionCookie(session.token, SESSION_MS, request.protocol))
      return toWireSession(deps, principal, session)
    },
  })

  const route = routesOf(scope, 'v1', 'key')

  route('GET /v1/session', {
    // The CSRF token.
    isSecret: true,
    operationId: 'getSession',
    summary: 'Get the session',
    description: 'The owner of the key or session that the request was made with, and its scopes.',
    answer: json('The session.', SessionSchema),
    handle: ({ caller, request }) => toWireSession(deps, caller, request.session ?? undefined),
  })

  route('DELETE /v1/session', {
    operationId: 'signOut',
    summary: 'Sign out',
    description:
      'Ends the session for every copy of its cookie, and deletes the cookie. With `everywhere=true` it ends all sessions of ' +
      'the key; that also works with the key itself.',
    query: SignOutQuery,
    answer: noContent('Signed out.'),
    refusals: ['storage_unavailable'],
    async handle({ caller, query: { everywhere }, request, reply }) {
      // First: the browser signs out even if the end of the session cannot be stored.
      reply.header('set-cookie', removeSessionCookies())
      if (everywhere) await sessions.endAll(caller.keyId)
      else if (request.session) await sessions.end(request.session)
    },
  })
}

function toWireSession(
  { retentionMs, serviceMessageIdField, tenantsAddDomains }: AppDeps,
  principal: Principal,
  session: KeySession | undefined,
): Session {
  const field = /^(.*)_message_id$/.exec(serviceMessageIdField)?.[1] ?? ''
  return {
    principal: toWirePrincipal(principal),
    ...(session && { csrfToken: session.csrfToken, expiresAt: toIsoTime(session.expiresAtMs) }),
    brand: field === 'service' ? '' : field,
    serviceMessageIdField,
    retentionDays: retentionMs / DAY_MS,
    addsDomains:
      tenantsAddDomains === true && principal.kind === 'tenant' && principal.scopes.includes(TENANT_ADDS_DOMAINS),
    version: VERSION,
  }
}

function toWirePrincipal(principal: Principal): Session['principal'] {
  if (principal.kind === 'operator') return { kind: 'operator', scopes: principal.scopes }
  const { tenantId: id, clientId, tenantName: name, scopes } = principal
  return { kind: 'tenant', tenant: { id, clientId, name }, scopes }
}
