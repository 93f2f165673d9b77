/** Issues an API key for a tenant or for the operator. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { mintApiKey } from './api-key.ts'
import type { KeyStore } from './key-store.ts'
import { requireTenantByName } from './require-tenant.ts'
import { isOperatorScope, isTenantScope, OPERATOR_SCOPES, type Scope, TENANT_SCOPES } from './scope.ts'

export type KeyOwner = { readonly tenantName: string } | { readonly operator: true }

export interface CreatedKey {
  readonly id: string
  /** Shown once, here. */
  readonly key: string
  readonly scopes: readonly Scope[]
}

export interface CreateKeyDeps {
  readonly keys: Pick<KeyStore, 'findTenantByName' | 'createKey'>
  readonly clock: Clock
}

/** `scopes` are unchecked input. None means all for a tenant, and is refused for the operator. */
export async function createKey(
  deps: CreateKeyDeps,
  owner: KeyOwner,
  scopes: readonly string[] = [],
): Promise<CreatedKey> {
  const granted = 'operator' in owner ? operatorScopes(scopes) : tenantScopes(scopes)
  const tenant = 'operator' in owner ? undefined : await requireTenantByName(deps.keys, owner.tenantName)
  const { id, key, secretHash } = mintApiKey()
  await deps.keys.createKey({
    id,
    secretHash,
    ...(tenant && { tenantId: tenant.id }),
    scopes: granted,
    createdAtMs: deps.clock(),
  })
  return { id, key, scopes: granted }
}

function tenantScopes(asked: readonly string[]): readonly Scope[] {
  if (asked.length === 0) return TENANT_SCOPES
  const unknown = asked.find((scope) => !isTenantScope(scope))
  if (unknown !== undefined) throw wrongScope(unknown, 'a tenant key', TENANT_SCOPES)
  return TENANT_SCOPES.filter((scope) => asked.includes(scope))
}

/** No default: an operator key reaches every tenant, so its scopes are always explicit. */
function operatorScopes(asked: readonly string[]): readonly Scope[] {
  if (asked.length === 0) {
    throw new AppError('invalid_request', `An operator key needs at least one scope: ${OPERATOR_SCOPES.join(', ')}`)
  }
  const unknown = asked.find((scope) => !isOperatorScope(scope))
  if (unknown !== undefined) throw wrongScope(unknown, 'an operator key', OPERATOR_SCOPES)
  return OPERATOR_SCOPES.filter((scope) => asked.includes(scope))
}

function wrongScope(scope: string, holder: string, allowed: readonly string[]): AppError {
  const several = scope.includes(',') ? '. Repeat --scope for each' : ''
  return new AppError(
    'invalid_request',
    `${JSON.stringify(scope)} is not a scope of ${holder}; allowed: ${allowed.join(', ')}${several}`,
  )
}
