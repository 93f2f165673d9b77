/** Registers a customer of the operator. */
import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from './base62.ts'
import type { KeyStore } from './key-store.ts'
import { parsePrintableName } from './limits/printable-name.ts'
import type { Quotas } from './limits/quotas.ts'
import type { Tenant } from './tenant.ts'

export interface CreateTenantDeps {
  readonly keys: Pick<KeyStore, 'createTenant' | 'listTenants'>
  readonly clock: Clock
}

/** Rejects with `invalid_request` for an invalid name and `conflict` for a taken one, ignoring letter case. */
export async function createTenant(deps: CreateTenantDeps, name: string, quotas?: Quotas): Promise<Tenant> {
  const tenant: Tenant = {
    id: randomUUIDv7(),
    clientId: `client_${randomBase62(12)}`,
    name: parseTenantName(name),
    createdAtMs: deps.clock(),
    ...(quotas && { quotas }),
  }
  await refuseLookalike(deps, tenant.name)
  await deps.keys.createTenant(tenant)
  return tenant
}

/** Acme and acme are probably the same customer. The store refuses an identical name. */
async function refuseLookalike({ keys }: CreateTenantDeps, name: string): Promise<void> {
  const tenants = await keys.listTenants()
  const other = tenants.find((tenant) => tenant.name !== name && tenant.name.toLowerCase() === name.toLowerCase())
  if (!other) return
  throw new AppError(
    'conflict',
    `There is already a tenant named ${JSON.stringify(other.name)}, which differs from ${JSON.stringify(name)} only in letter case. Choose another name`,
  )
}

function parseTenantName(text: string): string {
  if (text.length === 0) throw new AppError('invalid_request', 'The name of a tenant must not be empty')
  return parsePrintableName('a tenant', text)
}
