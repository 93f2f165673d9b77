/** Who reads the log: a tenant its own domains, or the operator all of them; and which fields each of them sees. */
import type { ShownFields } from '../../../events/log/log-query.ts'
import { findAnyDomains, type SearchLogDeps } from '../../../events/log/search-log.ts'
import { requireTenantByIdOrName } from '../../../tenants/require-tenant.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import type { AdministrationDeps } from '../../app-deps.ts'

/** Stands for a tenant where the operator reads: has its own share of the reading threads, and its own cursors. */
export const OPERATOR_READER = 'operator'

export function shownToTenants({ tenantsSeeSending }: Pick<AdministrationDeps, 'tenantsSeeSending'>): ShownFields {
  return tenantsSeeSending ? 'sending' : 'attempts'
}

export function anyDomainsOf({ storage }: Pick<AdministrationDeps, 'storage'>): Pick<SearchLogDeps, 'findDomains'> {
  return { findDomains: (asked) => findAnyDomains(storage.control, asked) }
}

/** The tenants that a request names by id or name: their ids. Throws AppError `not_found`. */
export async function findTenantIds(
  deps: Pick<AdministrationDeps, 'storage'>,
  asked: readonly string[] | undefined,
): Promise<{ readonly tenants?: readonly string[] }> {
  return asked ? { tenants: (await listTenants(deps, asked)).map(({ id }) => id) } : {}
}

/** The same, and tells the audit log whose mail is read. */
export async function findReadTenants(
  deps: Pick<AdministrationDeps, 'storage'>,
  {
    tenant,
    domain,
  }: { readonly tenant?: readonly string[] | undefined; readonly domain?: readonly string[] | undefined },
  about: (object: string) => void,
): Promise<{ readonly tenants?: readonly string[] }> {
  const found = tenant && (await listTenants(deps, tenant))
  const read = found?.map(({ name }) => name) ?? domain ?? ['all tenants']
  about([...new Set(read)].sort().join(', '))
  return found ? { tenants: found.map(({ id }) => id) } : {}
}

function listTenants(
  { storage }: Pick<AdministrationDeps, 'storage'>,
  asked: readonly string[],
): Promise<readonly Tenant[]> {
  return Promise.all([...new Set(asked)].map((one) => requireTenantByIdOrName(storage.control.keys, one)))
}
