import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivery } from '../../../test/harness/app/memory-scene.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { OwnedEvent } from './attribution.ts'
import { findRefused } from './refuse-events.ts'

const NOW_MS = Date.UTC(2026, 2, 1, 12)
const DAY_MS = 86_400_000

const TENANTS: Readonly<Record<string, Partial<Tenant>>> = {
  usual: {},
  suspended: { suspendedAtMs: 0, retentionDays: 3 },
  short: { retentionDays: 3 },
}

function owned(tenantId: string, timeMs = NOW_MS, more: Partial<OwnedEvent> = {}): OwnedEvent {
  return { domainNumber: 1, event: delivery({ timestamp: timeMs / 1000 }), tenantId, ...more }
}

/** The reasons by record, and which tenants were looked up. */
async function refuse(events: readonly OwnedEvent[], recordOf = events.map((_, index) => index)) {
  const lookups: string[] = []
  const keys = {
    async findTenant(id: string) {
      lookups.push(id)
      const more = TENANTS[id]
      return more && { id, name: id, clientId: id, createdAtMs: 0, ...more }
    },
  }
  const refused = await findRefused(keys, events, recordOf, NOW_MS)
  return { reasons: [...refused].map(([record, { tenantId, reason }]) => [record, tenantId, reason]), lookups }
}

test('events of suspended tenants and deactivated domains are refused, all others are not', async () => {
  const events = [
    owned('usual'),
    owned('suspended', NOW_MS, { isDeactivated: true }),
    owned('usual', NOW_MS, { isDeactivated: true }),
    owned('removed'),
  ]
  const { reasons, lookups } = await refuse(events, [4, 5, 6, 7])
  assert.deepEqual(reasons, [
    [5, 'suspended', 'the tenant is suspended'],
    [6, 'usual', 'domain_name: "a.test" is deactivated'],
  ])
  assert.deepEqual(lookups, ['usual', 'suspended', 'removed'], 'each once')
})

test('events that are older than the retention period of their tenant are refused', async () => {
  const oldestMs = NOW_MS - 3 * DAY_MS
  const { reasons } = await refuse([
    owned('short', oldestMs),
    owned('short', oldestMs - 1000),
    owned('usual', oldestMs - 1000),
  ])
  const reason = 'timestamp: older than the retention period of the tenant (since 2026-02-26T12:00:00.000Z)'
  assert.deepEqual(reasons, [[1, 'short', reason]])
})
