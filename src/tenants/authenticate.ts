/** Turns an `Authorization` header into a principal, or into a refusal that reveals nothing. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { isSameSecret, parseApiKey } from './api-key.ts'
import type { ApiKeyRecord, KeyStore } from './key-store.ts'
import type { KeyUses } from './key-uses.ts'
import type { Principal } from './principal.ts'
import { OPERATOR_SCOPES, type OperatorScope, type Scope, TENANT_SCOPES, type TenantScope } from './scope.ts'

export interface AuthenticateDeps {
  readonly keys: Pick<KeyStore, 'findKey'>
  readonly uses: KeyUses
  readonly clock: Clock
}

type ScopeRefusal = 'missing_scope' | 'forbidden'

/** The header holds the bare key; `Bearer <key>` is accepted because many clients cannot send anything else. */
export async function authenticate(deps: AuthenticateDeps, authorization: string | undefined): Promise<Principal> {
  if (authorization === undefined || authorization.trim() === '') {
    throw new AppError('unauthenticated', 'Missing Authorization header: send your API key in it')
  }
  const presented = parseApiKey(authorization.trim().replace(/^bearer\s+/i, ''))
  if (!presented) throw invalidKey()
  const record = await deps.keys.findKey(presented.id)
  if (!isSameSecret(record?.secretHash, presented.secretHash) || !record) throw invalidKey()
  return admitKey(deps, record)
}

/** For a session that was opened with the key. The key is checked again every time. */
export async function authenticateById(deps: AuthenticateDeps, keyId: string): Promise<Principal> {
  const record = await deps.keys.findKey(keyId)
  if (!record) throw invalidKey()
  return admitKey(deps, record)
}

function admitKey({ uses, clock }: AuthenticateDeps, record: ApiKeyRecord): Principal {
  if (record.revokedAtMs !== undefined) throw invalidKey()
  uses.record(record.id, clock())
  return toPrincipal(record)
}

/** The kind of key and the scope that a route asks for. */
export type NeededScope = { readonly tenant: TenantScope } | { readonly operator: OperatorScope }

export function requireScope(principal: Principal, needed: NeededScope, code: ScopeRefusal = 'missing_scope'): void {
  const scope: Scope = 'tenant' in needed ? needed.tenant : needed.operator
  const scopes: readonly Scope[] = principal.scopes
  if (principal.kind in needed && scopes.includes(scope)) return
  const kind = 'tenant' in needed ? 'a tenant' : 'an operator'
  throw new AppError(code, `This request needs ${kind} API key with the scope ${scope}`)
}

/** One message for malformed, unknown, wrong and revoked keys: the difference would help only an attacker. */
function invalidKey(): AppError {
  return new AppError('unauthenticated', 'Invalid API key')
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
    scopes: TENANT_SCOPES.filter((scope) => scopes.includes(scope)),
  }
}
