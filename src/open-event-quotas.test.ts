import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDomain } from '../test/harness/app/sample-domain.ts'
import { withChangedLog } from '../test/harness/storage/changed-log.ts'
import { openEventQuotas } from './open-event-quotas.ts'
import { openMemoryStorage } from './storage/memory/open-memory-storage.ts'

const NOON_MS = Date.UTC(2026, 0, 15, 12)
const HOUR_MS = 3_600_000
const TENANT = { id: '01890000-0000-7000-8000-000000000001', clientId: 'c', name: 'acme', createdAtMs: 0 }

/** A tenant with a quota, and events on three days: one yesterday, two today, one tomorrow. */
async function openScene() {
  let nowMs = NOON_MS
  const clock = () => nowMs
  const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' })
  await storage.control.keys.createTenant({ ...TENANT, quotas: { eventsPerDay: 10 } })
  const { number: domainNumber } = await storage.control.domains.create(sampleDomain(TENANT.id, 'acme.test'))
  const times = [NOON_MS - 12 * HOUR_MS - 1000, NOON_MS - 12 * HOUR_MS, NOON_MS, NOON_MS + 12 * HOUR_MS]
  const events = times.map((timeMs, index) => ({
    domainNumber,
    event: {
      id: `m${index}`,
      timestamp: timeMs / 1000,
      type: 'Delivery' as const,
      domain_name: 'acme.test',
      recipient: 'a@example.net',
    },
  }))
  await storage.log.append(events)
  return {
    storage,
    clock,
    quotas: openEventQuotas(storage, clock),
    setClock: (timeMs: number) => {
      nowMs = timeMs
    },
  }
}

test('a server that starts begins with the stored events of the day', async () => {
  const { storage, clock, quotas } = await openScene()
  const before = await quotas.find(TENANT.id)
  assert.deepEqual(before, { quota: 10, day: { used: 2 } })
  if (before) before.day.used += 5
  assert.equal((await quotas.find(TENANT.id))?.day.used, 7)
  assert.equal((await openEventQuotas(storage, clock).find(TENANT.id))?.day.used, 2)
})

test('another day, also one that a clock went back to, begins with its own events', async () => {
  const { quotas, setClock } = await openScene()
  const usedAt = async (timeMs: number) => {
    setClock(timeMs)
    return (await quotas.find(TENANT.id))?.day.used
  }
  assert.equal(await usedAt(NOON_MS + 12 * HOUR_MS - 1), 2)
  assert.equal(quotas.secondsLeft, 1)
  assert.equal(await usedAt(NOON_MS + 12 * HOUR_MS), 1)
  assert.equal(quotas.secondsLeft, 86_400)
  assert.equal(await usedAt(NOON_MS - 13 * HOUR_MS), 1)
  assert.equal(await usedAt(NOON_MS), 2)
})

test('a tenant without a quota is not counted; a tenant without domains begins with nothing', async () => {
  const { storage, quotas } = await openScene()
  await storage.control.keys.changeQuotas(TENANT.id, { eventsPerDay: null })
  assert.equal(await quotas.find(TENANT.id), undefined)
  assert.equal(await quotas.find('nobody'), undefined)
  const empty = { ...TENANT, id: '01890000-0000-7000-8000-000000000002', clientId: 'd', name: 'empty' }
  await storage.control.keys.createTenant({ ...empty, quotas: { eventsPerDay: 0 } })
  assert.deepEqual(await quotas.find(empty.id), { quota: 0, day: { used: 0 } })
})

test('a failure of the storage is not remembered', async () => {
  const { storage, clock } = await openScene()
  let failures = 1
  const failing = withChangedLog(storage, {
    series(query) {
      if (failures-- > 0) throw new Error('the disk is gone')
      return storage.log.series(query)
    },
  })
  const quotas = openEventQuotas(failing, clock)
  await assert.rejects(quotas.find(TENANT.id), /the disk is gone/)
  assert.equal((await quotas.find(TENANT.id))?.day.used, 2)
})
