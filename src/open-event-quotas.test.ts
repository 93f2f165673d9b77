import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sampleDomain } from '../test/harness/app/sample-domain.ts'
import { withChangedLog } from '../test/harness/storage/changed-log.ts'
import { openTestStorage } from '../test/harness/storage/sqlite-storage.ts'
import { native } from './connectors/native/native.ts'
import { ingestBody } from './events/ingest/ingest-events.ts'
import { openEventQuotas } from './open-event-quotas.ts'
import { createMemoryState } from './storage/memory/memory-state.ts'
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

test('with several servers, what the others have stored is counted after ten seconds, and what is on its way stays counted', async () => {
  let nowMs = NOON_MS
  const state = createMemoryState()
  const open = () =>
    openMemoryStorage({ clock: () => nowMs, serviceMessageIdField: 'service_message_id', state, isShared: true })
  const [one, other] = [open(), open()]
  await one.control.keys.createTenant({ ...TENANT, quotas: { eventsPerDay: 10 } })
  const { number: domainNumber } = await one.control.domains.create(sampleDomain(TENANT.id, 'acme.test'))
  const quotas = openEventQuotas(one, () => nowMs)
  const used = async () => (await quotas.find(TENANT.id))?.day.used
  const { day } = (await quotas.find(TENANT.id)) ?? assert.fail()
  day.used += 1
  const fields = { type: 'Delivery', domain_name: 'acme.test', recipient: 'a@example.net' } as const
  const events = ['a', 'b', 'c'].map((id) => ({ domainNumber, event: { id, timestamp: NOON_MS / 1000, ...fields } }))
  await other.log.append(events.slice(0, 2))
  assert.equal(await used(), 1)
  nowMs += 10_000
  await used()
  await new Promise(setImmediate)
  assert.equal(await used(), 2)
  day.used += 5
  await other.log.append(events)
  nowMs += 10_000
  await used()
  await new Promise(setImmediate)
  assert.equal(await used(), 7)
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

test("a tenant's surplus neither takes the room of the key that brings it nor makes its sender wait", async () => {
  const ROOM = 16 * 16_384
  const clock = () => NOON_MS
  await using storage = await openTestStorage(clock, { quarantineBytes: ROOM })
  const { keys, domains, quarantine } = storage.control
  const other = { ...TENANT, id: '01890000-0000-7000-8000-000000000002', clientId: 'd', name: 'other' }
  await keys.createTenant({ ...TENANT, quotas: { eventsPerDay: 1 } })
  await keys.createTenant(other)
  await domains.create(sampleDomain(TENANT.id, 'acme.test'))
  await domains.create(sampleDomain(other.id, 'other.test'))
  const source = { kind: 'key', name: 'shared' } as const
  const quotas = openEventQuotas(storage, clock)
  const retentionMs = 90 * 24 * HOUR_MS
  const deps = {
    log: storage.log,
    domains,
    quarantine,
    keys,
    quotas,
    clock,
    retentionMs,
    serviceMessageIdField: 'service',
  }
  const event = (id: string, domain_name: string) =>
    JSON.stringify({ id, domain_name, timestamp: NOON_MS / 1000, type: 'Delivery', recipient: 'a@b.test' })
  let notKept = 0
  for (let request = 0; request < 20; request++) {
    const surplus = Array.from({ length: 30 }, (_, index) => event(`m${request}-${index}`, 'acme.test'))
    const lines = [...surplus, event(`m${request}`, 'other.test'), event(`m${request}`, 'unknown.test')]
    const { stored, rejected } = await ingestBody(deps, native, Buffer.from(lines.join('\n')), { source })
    assert.equal(stored, request === 0 ? 2 : 1)
    assert.equal(stored + rejected.length, 32)
    notKept += rejected.filter(({ error }) => error.includes('not kept')).length
  }
  const { sources } = await quarantine.usage(10)
  const usedBy = (kind: string) => sources.find((used) => used.source.kind === kind)
  assert.equal(usedBy('key')?.records, 20)
  assert.ok((usedBy('tenant')?.bytes ?? 0) <= ROOM / 16)
  assert.equal((usedBy('tenant')?.records ?? 0) + notKept, 20 * 30 - 1)
})

test('events of a refused request that are stored nevertheless use the quota, once', async () => {
  const clock = () => NOON_MS
  await using storage = await openTestStorage(clock)
  const { keys, domains, quarantine } = storage.control
  await keys.createTenant({ ...TENANT, quotas: { eventsPerDay: 100 } })
  await domains.create(sampleDomain(TENANT.id, 'acme.test'))
  const quotas = openEventQuotas(storage, clock)
  const deps = { log: storage.log, domains, quarantine, keys, quotas, clock }
  const options = { retentionMs: 90 * 24 * HOUR_MS, serviceMessageIdField: 'service' }
  const used = async () => (await quotas.find(TENANT.id))?.day.used
  const send = (...events: readonly [id: string, daysAgo: number][]) => {
    const lines = events.map(([id, daysAgo]) =>
      JSON.stringify({
        id,
        domain_name: 'acme.test',
        timestamp: NOON_MS / 1000 - daysAgo * 86_400,
        type: 'Delivery',
        recipient: 'a@b.test',
      }),
    )
    const origin = { source: { kind: 'key', name: 'k' }, tenantId: TENANT.id } as const
    return ingestBody({ ...deps, ...options }, native, Buffer.from(lines.join('\n')), origin)
  }
  await send(['first', 1])
  assert.equal(await used(), 1)
  rmSync(join(storage.dataDir, 'events', '2026-01-14.db'))
  // Sets the day aside, as missing.
  await storage.capabilities.recount?.run()
  for (let tries = 0; tries < 3; tries++) {
    await assert.rejects(send(['a', 0], ['b', 0], ['c', 1]), { code: 'storage_unavailable' })
    assert.equal(await used(), 3)
  }
  await storage.capabilities.troubles?.accept('2026-01-14')
  assert.equal((await send(['a', 0], ['b', 0], ['c', 1])).stored, 1)
  assert.equal(await used(), 4)
})
