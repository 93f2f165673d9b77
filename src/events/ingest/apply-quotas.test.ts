import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryStorage } from '../../storage/memory/open-memory-storage.ts'
import { applyQuotas } from './apply-quotas.ts'
import { EventQuotas } from './event-quotas.ts'

const NOON_MS = Date.UTC(2026, 0, 15, 12)
const QUOTAS = { limited: 5, other: 3, single: 1, unused: 0, free: undefined }
type TenantName = keyof typeof QUOTAS

/** Tenants with these quotas of events a day. */
async function openScene() {
  const clock = () => NOON_MS
  const { keys, domains } = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' }).control
  for (const [id, eventsPerDay] of Object.entries(QUOTAS)) {
    const quotas = eventsPerDay === undefined ? {} : { quotas: { eventsPerDay } }
    await keys.createTenant({ id, name: id, clientId: id, createdAtMs: 0, ...quotas })
  }
  const quotas = new EventQuotas({ keys, domains, clock, countEvents: async () => 0 })
  return {
    /** One event in each record, unless others are given. */
    apply: (tenants: readonly TenantName[], isWhole: boolean, recordOf = tenants.map((_, index) => index)) =>
      applyQuotas(
        quotas,
        tenants.map((tenantId) => ({ tenantId })),
        recordOf,
        isWhole,
      ),
    used: async (tenant: TenantName) => (await quotas.find(tenant))?.day.used,
  }
}

function times(count: number, tenant: TenantName): readonly TenantName[] {
  return Array.from({ length: count }, () => tenant)
}

test('a request of a tenant is accepted whole, up to the last event of the day, or not at all', async () => {
  const { apply, used } = await openScene()
  assert.equal((await apply(times(3, 'limited'), true)).refused.size, 0)
  await assert.rejects(apply(times(3, 'limited'), true), (error: Error & { retryAfterSeconds?: number }) => {
    assert.match(error.message, /5 events a day has room for 2 more, and the request has 3.*after midnight/)
    return 'code' in error && error.code === 'quota_exceeded' && error.retryAfterSeconds === 12 * 3600
  })
  assert.equal(await used('limited'), 3)
  assert.equal((await apply(times(2, 'limited'), true)).refused.size, 0)
  assert.equal(await used('limited'), 5)
  await assert.rejects(apply(times(1, 'limited'), true), /has room for 0 more, and the request has 1\./)
})

test('a request that never fits is too large; without any quota there is nothing to wait for but another day', async () => {
  const { apply } = await openScene()
  await assert.rejects(apply(times(6, 'limited'), true), { code: 'payload_too_large' })
  await apply(times(1, 'limited'), true)
  await assert.rejects(apply(times(5, 'limited'), true), { code: 'quota_exceeded' })
  await assert.rejects(apply(times(2, 'single'), true), { code: 'payload_too_large' })
  await assert.rejects(apply(times(1, 'unused'), true), { code: 'quota_exceeded' })
})

test('of a request for several tenants the records beyond a quota are refused, and those of others are not', async () => {
  const { apply, used } = await openScene()
  const tenants: readonly TenantName[] = [...times(4, 'other'), 'free', 'limited', 'unused', 'other']
  const { refused } = await apply(tenants, false)
  assert.deepEqual([...refused.keys()], [3, 6, 7])
  assert.deepEqual(
    [...refused.values()].map(({ tenantId }) => tenantId),
    ['other', 'unused', 'other'],
  )
  assert.match(refused.get(3)?.reason ?? '', /used up: 3 events a day/)
  assert.deepEqual([await used('other'), await used('limited'), await used('free')], [3, 1, undefined])
})

test('a record of several events is refused as a whole, and a smaller one after it may fit', async () => {
  const { apply, used } = await openScene()
  const { refused } = await apply(times(9, 'limited'), false, [0, 0, 0, 0, 1, 1, 2, 3, 3])
  assert.deepEqual([...refused.keys()], [1, 3])
  assert.equal(await used('limited'), 5)
})

test('what was counted and not stored is given back, if it is known whose it was', async () => {
  const { apply, used } = await openScene()
  const own = await apply(times(4, 'limited'), true)
  own.giveBack(3)
  assert.equal(await used('limited'), 1)
  const mixed = await apply(['limited', 'other', 'other'], false)
  mixed.giveBack(2)
  assert.deepEqual([await used('limited'), await used('other')], [2, 2])
  mixed.giveBackAll(1)
  assert.deepEqual([await used('limited'), await used('other')], [1, 0])
  const partly = await apply(times(9, 'limited'), false)
  assert.equal(partly.refused.size, 5)
  partly.giveBackAll(0)
  assert.equal(await used('limited'), 1)
})

test('what is stored of a refused request stays counted, and is not counted again when the request is repeated', async () => {
  const { apply, used } = await openScene()
  const refused = await apply(times(4, 'limited'), true)
  refused.giveBackAll(3)
  assert.equal(await used('limited'), 3)
  // The rest of the quota is less than the request has.
  const again = await apply(times(2, 'limited'), true)
  again.giveBack(1)
  assert.equal(await used('limited'), 4)
})

test('tenants without quotas are not counted', async () => {
  const { apply, used } = await openScene()
  const applied = await apply(times(1000, 'free'), true)
  applied.giveBack(1)
  assert.equal(applied.refused.size, 0)
  assert.equal(await used('free'), undefined)
})
