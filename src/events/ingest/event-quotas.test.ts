import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventQuotas, type EventQuotasDeps } from './event-quotas.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAY = Math.floor(Date.UTC(2026, 0, 15) / DAY_MS)

/** One tenant with two domains; what is stored, the quota and the time can be changed. */
function openQuotas(more: Pick<EventQuotasDeps, 'recountMs'> = {}) {
  const scene = { nowMs: DAY * DAY_MS + 12 * HOUR_MS, stored: 3, eventsPerDay: 5 as number | undefined }
  const asked: (readonly unknown[])[] = []
  const quotas = new EventQuotas({
    keys: {
      async findTenant(id) {
        const { eventsPerDay } = scene
        return {
          id,
          name: id,
          clientId: id,
          createdAtMs: 0,
          ...(eventsPerDay !== undefined && { quotas: { eventsPerDay } }),
        }
      },
    },
    domains: { listNames: async () => [7, 9].map((number) => ({ number, name: `d${number}.test` })) },
    clock: () => scene.nowMs,
    async countEvents(...range) {
      asked.push(range)
      if (scene.stored < 0) throw new Error('not now')
      return scene.stored
    },
    ...more,
  })
  const used = async () => (await quotas.find('t1'))?.day.used
  return { scene, asked, quotas, used }
}

/** What no request waits for. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise(setImmediate)
}

test('a count begins with the stored events of the UTC day, and is then kept in memory', async () => {
  const { scene, asked, quotas } = openQuotas()
  const [one, other] = await Promise.all([quotas.find('t1'), quotas.find('t1')])
  assert.deepEqual(one, { quota: 5, day: { used: 3 } })
  assert.equal(one?.day, other?.day)
  if (one) one.day.used += 1
  scene.nowMs += 11 * HOUR_MS
  assert.deepEqual(await quotas.find('t1'), { quota: 5, day: { used: 4 } })
  assert.deepEqual(asked, [[[7, 9], 24 * DAY, 24 * DAY + 24]])
})

test('every day has a count of its own, also one that the clock is set back to', async () => {
  const { scene, asked, used } = openQuotas()
  await used()
  scene.nowMs += 12 * HOUR_MS
  scene.stored = 1
  assert.equal(await used(), 1)
  scene.nowMs -= 1
  scene.stored = 2
  assert.equal(await used(), 2)
  assert.deepEqual(
    asked.map(([, fromHour]) => fromHour),
    [24 * DAY, 24 * DAY + 24, 24 * DAY],
  )
})

test('without a quota nothing is counted, so that a later one begins with what is stored', async () => {
  const { scene, asked, used } = openQuotas()
  await used()
  scene.eventsPerDay = undefined
  assert.equal(await used(), undefined)
  scene.eventsPerDay = 5
  scene.stored = 4
  assert.equal(await used(), 4)
  assert.equal(asked.length, 2)
})

test('a count that fails is tried again by the next request', async () => {
  const { scene, used } = openQuotas()
  scene.stored = -1
  await assert.rejects(used(), /not now/)
  scene.stored = 2
  assert.equal(await used(), 2)
})

test('what other servers store is added from time to time, without waiting, and never lowers the count', async () => {
  const { scene, asked, used } = openQuotas({ recountMs: 60_000 })
  await used()
  scene.nowMs += 59_999
  scene.stored = 5
  await used()
  await settle()
  assert.deepEqual([await used(), asked.length], [3, 1])
  scene.nowMs += 1
  assert.equal(await used(), 3, 'not by the request itself')
  await settle()
  assert.deepEqual([await used(), asked.length], [5, 2])
  for (const stored of [1, -1]) {
    scene.nowMs += 60_000
    scene.stored = stored
    await used()
    await settle()
    assert.equal(await used(), 5, `${stored}`)
  }
  assert.equal(asked.length, 4)
  assert.deepEqual(asked[3], asked[0])
})

test('a count that cannot be compared stays as it is', async () => {
  const { scene, used } = openQuotas({ recountMs: 60_000 })
  scene.stored = 0
  await used()
  scene.nowMs += 60_000
  scene.stored = -1
  await used()
  await settle()
  assert.equal(await used(), 0)
})

test('the seconds that are left end at midnight, rounded up', () => {
  const { scene, quotas } = openQuotas()
  assert.equal(quotas.secondsLeft, 12 * 3600)
  scene.nowMs = (DAY + 1) * DAY_MS - 1
  assert.equal(quotas.secondsLeft, 1)
  scene.nowMs += 1
  assert.equal(quotas.secondsLeft, 24 * 3600)
})
