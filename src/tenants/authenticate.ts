/** Turns an `Authorization` header into a principal, or into a refusal that reveals nothing. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { isSameSecret, parseApiKey } from './api-key.ts'
import type { ApiKeyRecord, KeyStore } from './key-store.ts'
import type { KeyUses } from './key-uses.ts'
import { isAllowedFrom, isExpired } from './limits/key-limits.ts'
import type { Principal } from './principal.ts'
import { ALL_TENANT_SCOPES, OPERATOR_SCOPES, type OperatorScope, type Scope, type TenantScope } from './scope.ts'

/** Why an authentic key is refused. A program learns only of a suspension, a person who signs in of more, the operator of all. */
export const KEY_REFUSALS = ['revoked', 'expired', 'network', 'suspended'] as const
export type KeyRefusal = (typeof KEY_REFUSALS)[number]

export interface AuthenticateDeps {
  readonly keys: Pick<KeyStore, 'findKey'>
  readonly uses: KeyUses
  readonly clock: Clock
  readonly onRefused?: (keyId: string, refusal: KeyRefusal, address: string | undefined) => void
}

/**
 * `reason`: says that the key was revoked or has expired, to a person who signs in or was signed in with it. A key from a network
 * that it is not meant for is refused like one that never existed: it may be stolen.
 */
export type RefusalDetail = 'none' | 'reason'

const REASONS: Readonly<Partial<Record<KeyRefusal, string>>> = {
  revoked: 'This API key was revoked. Sign in with another key, or ask your operator for one.',
  expired: 'This API key has expired. Sign in with another key, or ask your operator for one.',
}

type ScopeRefusal = 'missing_scope' | 'forbidden'

/**
 * The header holds the bare key; `Bearer <key>` is accepted because many clients cannot send anything else. `address` is the
 * client's: a key may be limited to networks.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  authorization: string | undefined,
  address: string | undefined,
  detail: RefusalDetail = 'none',
): Promise<Principal> {
  if (authorization === undefined || authorization.trim() === '') {
    throw new AppError('unauthenticated', 'Missing Authorization header: send your API key in it')
  }
  const presented = parseApiKey(authorization.trim().replace(/^bearer\s+/i, ''))
  if (!presented) throw invalidKey()
  const record = await deps.keys.findKey(presented.id)
  if (!isSameSecret(record?.secretHash, presented.secretHash) || !record) throw invalidKey()
  return admitKey(deps, record, address, detail)
}

/** For a session or stream that was opened with the key. The key is checked again every time. */
export async function authenticateById(
  deps: AuthenticateDeps,
  keyId: string,
  address: string | undefined,
): Promise<Principal> {
  const record = await deps.keys.findKey(keyId)
  if (!record) throw invalidKey()
  return admitKey(deps, record, address, 'reason')
}

function admitKey(
  deps: AuthenticateDeps,
  record: ApiKeyRecord,
  address: string | undefined,
  detail: RefusalDetail,
): Principal {
  const nowMs = deps.clock()
  const refusal = findRefusal(record, nowMs, address)
  if (refusal) {
    deps.onRefused?.(record.id, refusal, address)
    throw refusal === 'suspended' ? suspended() : invalidKey(detail === 'reason' ? refusal : undefined)
  }
  deps.uses.record(record.id, nowMs)
  return toPrincipal(record)
}

function findRefusal(record: ApiKeyRecord, nowMs: number, address: string | undefined): KeyRefusal | undefined {
  if (record.revokedAtMs !== undefined) return 'revoked'
  if (isExpired(record, nowMs)) return 'expired'
  if (!isAllowedFrom(record, address)) return 'network'
  return record.tenant?.suspendedAtMs === undefined ? undefined : 'suspended'
}

/** The kinds of key and the scope that a route asks for; with both, either kind will do. */
export type NeededScope =
  | { readonly tenant: TenantScope; readonly operator?: never }
  | { readonly operator: OperatorScope; readonly tenant?: never }
  | { readonly tenant: TenantScope; readonly operator: OperatorScope }

export function requireScope(principal: Principal, needed: NeededScope, code: ScopeRefusal = 'missing_scope'): void {
  const wanted: Scope | undefined = needed[principal.kind]
  const scopes: readonly Scope[] = principal.scopes
  if (wanted !== undefined && (scopes.includes(wanted) || (wanted === 'read' && scopes.includes('admin')))) return
  const isForBoth = needed.operator !== undefined && needed.tenant !== undefined
  const kind = isForBoth ? 'an' : needed.operator === undefined ? 'a tenant' : 'an operator'
  // That of the caller's own kind, if there is one.
  throw new AppError(
    code,
    `This request needs ${kind} API key with the scope ${wanted ?? needed.operator ?? needed.tenant}`,
  )
}

/** One message for malformed, unknown, revoked and expired keys and for other networks: a difference would help only an attacker. */
function invalidKey(refusal?: KeyRefusal): AppError {
  return new AppError('unauthenticated', (refusal && REASONS[refusal]) ?? 'Invalid API key')
}

/** Only the holder of a valid key gets this: it needs to know that another key would not help. */
function suspended(): AppError {
  return new AppError('tenant_suspended', 'The tenant of this API key is suspended. Contact the operator.')
}

function toPrincipal(record: ApiKeyRecord): Principal {
  const { id: keyId, tenant, scopes } = record
  if (!tenant) return { kind: 'operator', keyId, scopes: OPERATOR_SCOPES.filter((scope) => scopes.includes(scope)) }
  return {
    kind: 'tenant',
    keyId,
    tenantId: tenant.id,
    clientId: tenant.clientId,
    tenantName: tenant.name,
    scopes: ALL_TENANT_SCOPES.filter((scope) => scopes.includes(scope)),
  }
}
