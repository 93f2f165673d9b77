/** Who reads the log: a tenant its own domains, or the operator all of them; and which fields each of them sees. */
import type { ShownFields } from '../../../events/log/log-query.ts'
import { findAnyDomains, type SearchLogDeps } from '../../../events/log/search-log.ts'
import { requireTenantByName } from '../../../tenants/require-tenant.ts'
import type { AdministrationDeps } from '../../app-deps.ts'

/** Stands for a tenant where the operator reads: has its own share of the reading threads, and its own cursors. */
export const OPERATOR_READER = 'operator'

export function shownToTenants({ tenantsSeeSending }: Pick<AdministrationDeps, 'tenantsSeeSending'>): ShownFields {
  return tenantsSeeSending ? 'sending' : 'attempts'
}

export function anyDomainsOf({ storage }: Pick<AdministrationDeps, 'storage'>): Pick<SearchLogDeps, 'findDomains'> {
  return { findDomains: (asked) => findAnyDomains(storage.control, asked) }
}

/** The ids of tenants. Throws AppError `not_found`. */
export async function findTenantIds(
  { storage }: Pick<AdministrationDeps, 'storage'>,
  names: readonly string[] | undefined,
): Promise<{ readonly tenants?: readonly string[] }> {
  if (!names) return {}
  const found = await Promise.all(names.map((name) => requireTenantByName(storage.control.keys, name)))
  return { tenants: found.map(({ id }) => id) }
}
