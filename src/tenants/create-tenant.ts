/** Registers a customer of the operator. */
import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from './base62.ts'
import type { KeyStore } from './key-store.ts'
import type { Tenant } from './tenant.ts'

const NAME_LENGTH_MAX = 100
/** Control, format (invisible, direction-changing), unassigned and lone surrogate characters, line and paragraph ends. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u

export interface CreateTenantDeps {
  readonly keys: Pick<KeyStore, 'createTenant' | 'listTenants'>
  readonly clock: Clock
}

/** Rejects with `invalid_request` for an unusable name and `conflict` for a taken one, in whatever case of letters. */
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

/** Acme beside acme is one customer typed twice. The very same name is the store's to refuse. */
async function refuseLookalike({ keys }: CreateTenantDeps, name: string): Promise<void> {
  const tenants = await keys.listTenants()
  const other = tenants.find((tenant) => tenant.name !== name && tenant.name.toLowerCase() === name.toLowerCase())
  if (!other) return
  throw new AppError(
    'conflict',
    `There is a tenant named ${JSON.stringify(other.name)} already, which differs from ${JSON.stringify(name)} in the case of letters only. Choose another name`,
  )
}

function parseTenantName(text: string): string {
  // NFC: the same letters typed on two systems are one name.
  const name = text.normalize('NFC')
  const { length } = name
  if (length === 0) throw new AppError('invalid_request', 'A tenant needs a name')
  if (length > NAME_LENGTH_MAX) {
    throw new AppError('invalid_request', `A tenant's name has at most ${NAME_LENGTH_MAX} characters, not ${length}`)
  }
  if (UNPRINTABLE.test(name)) throw new AppError('invalid_request', "A tenant's name holds printable characters only")
  if (name !== name.trim())
    throw new AppError('invalid_request', "A tenant's name neither starts nor ends with a space")
  return name
}
