/** Finds records that are not accepted at present, though their domain is known. */
import { toIsoTime } from '../../lib/clock.ts'
import type { KeyStore } from '../../tenants/key-store.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { OwnedEvent } from './attribution.ts'

export interface Refusal {
  readonly tenantId: string
  readonly reason: string
}

const DAY_MS = 86_400_000

/** `recordOf`: the record that each event came from. Returns the refused records, with the reason. */
export async function findRefused(
  keys: Pick<KeyStore, 'findTenant'>,
  events: readonly OwnedEvent[],
  recordOf: readonly number[],
  nowMs: number,
): Promise<ReadonlyMap<number, Refusal>> {
  const tenants = new Map<string, Tenant | undefined>()
  const refused = new Map<number, Refusal>()
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as OwnedEvent
    const { tenantId } = event
    if (!tenants.has(tenantId)) tenants.set(tenantId, await keys.findTenant(tenantId))
    const reason = findReason(event, tenants.get(tenantId), nowMs)
    if (reason !== undefined) refused.set(recordOf[at] ?? Number.NaN, { tenantId, reason })
  }
  return refused
}

function findReason(
  { event, isDeactivated }: OwnedEvent,
  tenant: Tenant | undefined,
  nowMs: number,
): string | undefined {
  if (tenant?.suspendedAtMs !== undefined) return 'the tenant is suspended'
  if (isDeactivated) return `domain_name: ${JSON.stringify(event.domain_name)} is deactivated`
  if (tenant?.retentionDays === undefined) return undefined
  const oldestMs = nowMs - tenant.retentionDays * DAY_MS
  if (event.timestamp * 1000 >= oldestMs) return undefined
  return `timestamp: older than the retention period of the tenant (since ${toIsoTime(oldestMs)})`
}
