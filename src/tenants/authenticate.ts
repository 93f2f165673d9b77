/** From an `Authorization` header to who is asking, or a refusal that tells a stranger nothing. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { isSameSecret, parseApiKey } from './api-key.ts'
import type { ApiKeyRecord, KeyStore } from './key-store.ts'
import type { KeyUses } from './key-uses.ts'
import type { OperatorPrincipal, Principal, TenantPrincipal } from './principal.ts'
import { isOperatorScope, isTenantScope, type OperatorScope, type TenantScope } from './scope.ts'

export interface AuthenticateDeps {
  readonly keys: Pick<KeyStore, 'findKey'>
  readonly uses: KeyUses
  readonly clock: Clock
}

/** The header holds the bare key; `Bearer <key>` is accepted because many clients cannot send anything else. */
export async function authenticate(deps: AuthenticateDeps, authorization: string | undefined): Promise<Principal> {
  if (authorization === undefined || authorization.trim() === '') {
    throw new AppError('unauthenticated', 'Missing Authorization header: send your API key in it')
  }
  const presented = parseApiKey(authorization.trim().replace(/^bearer\s+/i, ''))
  if (!presented) throw invalidKey()
  const record = await deps.keys.findKey(presented.id)
  if (!isSameSecret(record?.secretHash, presented.secretHash) || !record) throw invalidKey()
  if (record.revokedAtMs !== undefined) throw invalidKey()
  deps.uses.record(record.id, deps.clock())
  return toPrincipal(record)
}

export function requireTenant(principal: Principal, scope: TenantScope): TenantPrincipal {
  if (principal.kind === 'tenant' && principal.scopes.includes(scope)) return principal
  throw new AppError('missing_scope', `This needs a tenant's API key with the scope ${scope}`)
}

export function requireOperator(principal: Principal, scope: OperatorScope): OperatorPrincipal {
  if (principal.kind === 'operator' && principal.scopes.includes(scope)) return principal
  throw new AppError('missing_scope', `This needs an operator's API key with the scope ${scope}`)
}

/** One text for rubbish, unknown, wrong and revoked keys: the difference would help only someone who guesses. */
function invalidKey(): AppError {
  return new AppError('unauthenticated', 'Invalid API key')
}

function toPrincipal(record: ApiKeyRecord): Principal {
  const { id: keyId, tenant, scopes } = record
  if (!tenant) return { kind: 'operator', keyId, scopes: scopes.filter(isOperatorScope) }
  return {
    kind: 'tenant',
    keyId,
    tenantId: tenant.id,
    clientId: tenant.clientId,
    scopes: scopes.filter(isTenantScope),
  }
}
