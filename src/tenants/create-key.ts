/** Issues an API key for a tenant or for the operator. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { mintApiKey } from './api-key.ts'
import type { KeyStore } from './key-store.ts'
import { changeLimits, type KeyChange, parseKeyChange } from './limits/key-limits.ts'
import { requireTenantByName } from './require-tenant.ts'
import {
  ALL_TENANT_SCOPES,
  OPERATOR_SCOPES,
  type Scope,
  TENANT_INGEST,
  TENANT_PEOPLE_SCOPES,
  TENANT_SCOPES,
} from './scope.ts'

export type KeyOwner = { readonly tenantName: string } | 'operator'

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

/**
 * `scopes` and `limits` are unchecked input. No scopes means all that read for a tenant, and is refused for the operator.
 * Rejects with `invalid_request`, `not_found` (tenant) or `quota_exceeded`.
 */
export async function createKey(
  deps: CreateKeyDeps,
  owner: KeyOwner,
  scopes: readonly string[] = [],
  limits: KeyChange = {},
): Promise<CreatedKey> {
  const isOperator = owner === 'operator'
  // No default for the operator: its key reaches every tenant, so its scopes are always explicit.
  if (isOperator && scopes.length === 0) {
    throw new AppError('invalid_request', `An operator key needs at least one scope: ${OPERATOR_SCOPES.join(', ')}`)
  }
  const granted = isOperator
    ? requireScopes(scopes, 'an operator key', OPERATOR_SCOPES)
    : requireTenantScopes(scopes.length === 0 ? TENANT_SCOPES : scopes)
  const createdAtMs = deps.clock()
  const parsed = changeLimits({}, parseKeyChange(limits, createdAtMs))
  const tenant = isOperator ? undefined : await requireTenantByName(deps.keys, owner.tenantName)
  const { id, key, secretHash } = mintApiKey()
  await deps.keys.createKey({
    id,
    secretHash,
    ...(tenant && { tenantId: tenant.id }),
    scopes: granted,
    createdAtMs,
    ...parsed,
  })
  return { id, key, scopes: granted }
}

/** Mail servers hold ingest keys and people hold read keys, so a key with both would be in the wrong hands. */
function requireTenantScopes(asked: readonly string[]): readonly Scope[] {
  if (asked.every((scope) => scope === TENANT_INGEST)) return [TENANT_INGEST]
  if (asked.includes(TENANT_INGEST)) {
    throw new AppError(
      'invalid_request',
      `A tenant key with the scope "${TENANT_INGEST}" can have no other scope; the others are ${TENANT_PEOPLE_SCOPES.join(', ')}. Create two keys`,
    )
  }
  return requireScopes(asked, 'a tenant key', ALL_TENANT_SCOPES)
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
