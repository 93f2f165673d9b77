/** Finds a tenant by the name that the operator typed, or by its id. */
import { AppError } from '../lib/app-error.ts'
import { PROGRAM } from '../lib/program-name.ts'
import type { KeyStore } from './key-store.ts'
import type { Tenant } from './tenant.ts'

export async function requireTenantByName(keys: Pick<KeyStore, 'findTenantByName'>, name: string): Promise<Tenant> {
  const tenant = await keys.findTenantByName(name.normalize('NFC'))
  if (tenant) return tenant
  const quoted = JSON.stringify(name)
  throw new AppError(
    'not_found',
    `There is no tenant named ${quoted}. Create it with: ${PROGRAM} tenant create ${quoted}`,
  )
}

/** Programs and addresses name a tenant by its id, people by its name. An id is looked for first: it cannot change its meaning. */
export async function requireTenantByIdOrName(
  keys: Pick<KeyStore, 'findTenant' | 'findTenantByName'>,
  idOrName: string,
): Promise<Tenant> {
  return (await keys.findTenant(idOrName)) ?? requireTenantByName(keys, idOrName)
}
