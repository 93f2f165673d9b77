/** Use case: removes the events of tenants that have a shorter retention than the installation. */
import type { DomainStore } from '../../domains/domain-store.ts'
import type { KeyStore } from '../../tenants/key-store.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { EventLog } from '../log/event-log.ts'

const DAY_MS = 86_400_000
/** Events that were on their way when a day expired are found in one of the next runs. */
const AGAIN_MS = 2 * DAY_MS

export interface TenantRetentionDeps {
  readonly keys: Pick<KeyStore, 'listTenants' | 'changeTenant'>
  readonly domains: Pick<DomainStore, 'listNames'>
  readonly log: Pick<EventLog, 'erase'>
}

/** Whole days, as for the installation. Returns how many events were removed. Ends early, between two steps, when the signal aborts. */
export async function removeExpiredOfTenants(
  deps: TenantRetentionDeps,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (const tenant of await deps.keys.listTenants()) {
    if (signal?.aborted) break
    removed += await removeExpired(deps, tenant, nowMs, signal)
  }
  return removed
}

async function removeExpired(
  { keys, domains, log }: TenantRetentionDeps,
  { id, retentionDays, expiredToMs }: Tenant,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (retentionDays === undefined) return 0
  const beforeMs = Math.floor((nowMs - retentionDays * DAY_MS) / DAY_MS) * DAY_MS
  // Once a day; never backwards, whatever the clock says.
  if (expiredToMs !== undefined && expiredToMs >= beforeMs) return 0
  const domainNumbers = (await domains.listNames(id)).map(({ number }) => number)
  const erasure = {
    what: 'expired',
    domainNumbers,
    beforeMs,
    ...(expiredToMs !== undefined && { fromMs: expiredToMs - AGAIN_MS }),
  } as const
  if (domainNumbers.length === 0) return 0
  let removed = 0
  let position: string | undefined
  do {
    const step = await log.erase(erasure, position)
    removed += step.removed
    position = step.next
    // The next run continues.
    if (step.isWaiting || signal?.aborted) return removed
  } while (position !== undefined)
  await keys.changeTenant(id, { expiredToMs: beforeMs })
  return removed
}
