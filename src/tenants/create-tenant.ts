/** Registers a customer of the operator. */
import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from './base62.ts'
import type { KeyStore } from './key-store.ts'
import type { Tenant } from './tenant.ts'

const NAME_LENGTH_MAX = 100
/** Control, format (invisible, direction-changing), unassigned and lone surrogate characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u

export interface CreateTenantDeps {
  readonly keys: Pick<KeyStore, 'createTenant' | 'listTenants'>
  readonly clock: Clock
}

/** Rejects with `invalid_request` for an invalid name and `conflict` for a taken one, ignoring letter case. */
export async function createTenant(deps: CreateTenantDeps, name: string): Promise<Tenant> {
  const tenant: Tenant = {
    id: randomUUIDv7(),
    clientId: `client_${randomBase62(12)}`,
    name: parseTenantName(name),
    createdAtMs: deps.clock(),
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
  // Systems differ in how they compose accented letters.
  const name = text.normalize('NFC')
  const { length } = name
  if (length === 0) throw new AppError('invalid_request', 'The name of a tenant must not be empty')
  if (length > NAME_LENGTH_MAX) {
    throw new AppError(
      'invalid_request',
      `The name of a tenant can have at most ${NAME_LENGTH_MAX} characters; this one has ${length}`,
    )
  }
  if (UNPRINTABLE.test(name))
    throw new AppError('invalid_request', 'The name of a tenant must contain printable characters only')
  if (name !== name.trim())
    throw new AppError('invalid_request', 'The name of a tenant must not start or end with a space')
  return name
}
