/** Issues an API key for a tenant or for the operator. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { mintApiKey } from './api-key.ts'
import type { KeyStore } from './key-store.ts'
import { requireTenantByName } from './require-tenant.ts'
import { OPERATOR_SCOPES, type Scope, TENANT_SCOPES } from './scope.ts'

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
  const isOperator = 'operator' in owner
  // No default for the operator: its key reaches every tenant, so its scopes are always explicit.
  if (isOperator && scopes.length === 0) {
    throw new AppError('invalid_request', `An operator key needs at least one scope: ${OPERATOR_SCOPES.join(', ')}`)
  }
  const granted = isOperator
    ? requireScopes(scopes, 'an operator key', OPERATOR_SCOPES)
    : requireScopes(scopes.length === 0 ? TENANT_SCOPES : scopes, 'a tenant key', TENANT_SCOPES)
  const tenant = isOperator ? undefined : await requireTenantByName(deps.keys, owner.tenantName)
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

function requireScopes(asked: readonly string[], holder: string, allowed: readonly Scope[]): readonly Scope[] {
  const unknown = asked.find((name) => !allowed.some((scope) => scope === name))
  if (unknown === undefined) return allowed.filter((scope) => asked.includes(scope))
  const several = unknown.includes(',') ? '. Repeat --scope for each' : ''
  throw new AppError(
    'invalid_request',
    `${JSON.stringify(unknown)} is not a scope of ${holder}; allowed: ${allowed.join(', ')}${several}`,
  )
}
