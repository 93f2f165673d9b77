/**
 * Records what is done in the administration. Which requests are recorded follows from the declaration of the route, so a new
 * route cannot be forgotten. The entry is durable before the response is sent: an acknowledged change is in the audit log.
 */
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditActor, AuditKind, AuditOutcome } from '../../audit/audit-entry.ts'
import { type AuditedAction, AuditTrail } from '../../audit/audit-trail.ts'
import type { Clock } from '../../lib/clock.ts'
import { LOCAL_USER_HEADER, userName } from '../../lib/control-socket.ts'
import { known } from '../../lib/known.ts'
import { clientNetworkOf, plainAddress } from '../../lib/net/client-network.ts'
import type { Storage } from '../../storage/storage.ts'
import { LOCAL_OPERATOR, type Principal } from '../../tenants/principal.ts'
import type { RefusalCode } from '../answers/error-body.ts'
import type { Metrics } from './metrics.ts'

/**
 * `each`: every request has its own entry. `summed`: one entry per caller and hour, for requests that mail servers make all the
 * time. `change`: a change that tenants make; each one has its own entry, and what was refused is summed. `reading`: one entry per
 * caller, hour and object, for an operator who reads the mail of tenants. `denied`: only requests of callers without a valid key or
 * scope.
 */
export type AuditRule = 'each' | 'summed' | 'change' | 'reading' | 'denied'

declare module 'fastify' {
  interface FastifyContextConfig {
    audit?: { readonly action: string; readonly rule: AuditRule }
  }
  interface FastifyInstance {
    readonly auditTrail?: AuditTrail
  }
  interface FastifyRequest {
    /** What the request is about, such as the id of a key. Null: the parameters of the path. */
    auditObject: string | null
    /** For a response that starts before its outcome is known; its setter calls `recordRequest` at the end. */
    isAuditPostponed: boolean
  }
}

const OBJECT_LENGTH_MAX = 256
const USER_LENGTH_MAX = 64

/** The rule of a route that declares none: changes of the administration and of sessions are recorded. */
export function auditRuleOf(method: string, url: string): AuditRule | undefined {
  const isAdministration = url.startsWith('/v1/admin/')
  if (method !== 'GET' && (isAdministration || url.startsWith('/v1/session'))) return 'each'
  return isAdministration ? 'denied' : undefined
}

export interface OpenAuditDeps {
  readonly storage: Pick<Storage, 'control'>
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'countLostAudit'>
  readonly logger: Pick<FastifyBaseLogger, 'error'>
}

export function openAudit({ storage, clock, metrics, logger }: OpenAuditDeps): AuditTrail {
  return new AuditTrail({
    store: storage.control.audit,
    keys: storage.control.keys,
    clock,
    onLost({ action, outcome, requestId, actor: { type, id } }, error) {
      metrics.countLostAudit()
      logger.error({ err: error, action, outcome, requestId, actor: { type, id } }, 'audit entry lost')
    },
  })
}

/** Must be called before any route is added. */
export function auditRequests(app: FastifyInstance, trail: AuditTrail): void {
  app.decorate('auditTrail', trail)
  app.decorateRequest('auditObject', null)
  app.decorateRequest('isAuditPostponed', false)
  app.addHook('onRoute', (route) => {
    if (!route.config?.audit) return
    // A hook of this route alone: other requests pay nothing.
    route.onSend = [...[route.onSend ?? []].flat(), recordBeforeSending]
  })
}

async function recordBeforeSending(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { statusCode } = reply
  const outcome = statusCode < 400 ? 'success' : statusCode < 500 ? 'refused' : 'failed'
  if (!request.isAuditPostponed) await recordRequest(request, reply, outcome)
  return payload
}

/** Requests that have their entry: a HEAD route has the hook of its GET route too. */
const recorded = new WeakSet<FastifyRequest>()

/** Resolves when the entry is durable, or reported as lost. */
export async function recordRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: AuditOutcome,
): Promise<void> {
  const { auditTrail } = request.server
  const { audit } = request.routeOptions.config
  if (!auditTrail || !audit || recorded.has(request)) return
  recorded.add(request)
  const kind = kindOf(audit.rule, request.principal, reply.refusalCode)
  if (!kind) return
  const isOwnEntry =
    audit.rule === 'change' ? outcome === 'success' : audit.rule === 'each' && kind === 'administration'
  const isSummed = !isOwnEntry
  const object = request.auditObject ?? Object.values(request.params as Record<string, string>).join(' ')
  const action: AuditedAction = {
    kind,
    actor: await actorOf(request, isSummed, auditTrail),
    action: audit.action,
    ...(object !== '' && { object: withoutSecrets(object).slice(0, OBJECT_LENGTH_MAX) }),
    outcome,
    status: reply.statusCode,
    requestId: request.id,
  }
  if (isSummed) auditTrail.count(action)
  else await auditTrail.record(action)
}

/** A caller may have put a whole key where its id belongs. */
function withoutSecrets(object: string): string {
  return object.replaceAll(/env_([0-9A-Za-z]{12})_[0-9A-Za-z]+/g, 'env_$1_…')
}

/** Refusals that anybody can cause, as often as they like. */
const DENIALS: ReadonlySet<RefusalCode | undefined> = new Set([
  'unauthenticated',
  'missing_scope',
  'forbidden',
  'tenant_suspended',
  'cross_site',
  'too_many_tries',
  'too_many_requests',
] as const)

/** Undefined if nothing is recorded. */
function kindOf(rule: AuditRule, principal: Principal | null, refusal: RefusalCode | undefined): AuditKind | undefined {
  if (DENIALS.has(refusal)) return 'denied'
  if (rule === 'denied' || !principal) return undefined
  if (rule === 'reading') return 'reading'
  return principal.kind === 'operator' && principal.scopes.includes('admin') ? 'administration' : 'session'
}

async function actorOf(
  { principal, ip, headers }: FastifyRequest,
  isSummed: boolean,
  trail: AuditTrail,
): Promise<AuditActor> {
  if (principal === LOCAL_OPERATOR) return { type: 'local', id: localUser(headers[LOCAL_USER_HEADER]) }
  const address = isSummed ? clientNetworkOf(ip) : plainAddress(ip)
  if (!principal) return { type: 'unknown', address }
  const name = await trail.findKeyName(principal.keyId)
  return { type: principal.kind, id: principal.keyId, ...known({ name }), address }
}

/** Only the owner of the data folder and root can be local callers. The command says which of them it is. */
function localUser(presented: string | string[] | undefined): string {
  const name = typeof presented === 'string' ? presented : userName()
  return name.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, USER_LENGTH_MAX)
}
