/** Every response that is read from the log names the days of its window that are set aside. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { DayTrouble, Storage } from '../../storage/storage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let fixture: AppFixture

/** Every day of the last year, and today, which is 2026-01-15, and tomorrow. */
function listTroubles(): readonly DayTrouble[] {
  return Array.from({ length: 367 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 0, 16) - index * DAY_MS).toISOString().slice(0, 10)
    return { day, kind: 'damaged', sinceMs: 0, detail: '' }
  })
}

before(async () => {
  const troubles = { list: listTroubles, follow: () => undefined, takenBack: 0, accept: async () => undefined }
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    capabilities: { ...storage.capabilities, troubles },
  })
  fixture = await openAppFixture({ wrapStorage })
  await fixture.ingest([fixture.event({ id: 'm1' })])
})
after(() => fixture[Symbol.asyncDispose]())

async function daysNamedBy(path: string): Promise<readonly string[]> {
  const key = path.startsWith('/v1/admin') ? fixture.operatorKey : fixture.acme.key
  const { headers } = await fixture.get(path, key)
  return String(headers['envelog-incomplete']).split(', ')
}

test('of a window that is asked for, the days from its first second to its last', async () => {
  const window = 'from=2026-01-10T00:00:00Z&to=2026-01-12T00:00:00Z'
  for (const path of [
    `/v1/events?${window}`,
    `/v1/events?${window}&format=csv`,
    `/v1/events?${window}&format=ndjson`,
    `/v1/admin/events?${window}`,
    `/v1/events/facets?${window}`,
    `/v1/admin/events/facets?${window}`,
    `/v1/stats/series?${window}`,
    `/v1/stats/series?bucket=day&${window}`,
    `/v1/admin/stats/series?${window}`,
    `/v1/stats/delivery-times?${window}`,
    `/v1/admin/stats/delivery-times?${window}`,
  ])
    assert.deepEqual(await daysNamedBy(path), ['2026-01-10', '2026-01-11'], path)
})

test('of a window that is not asked for, its days as well', async () => {
  for (const [path, first, last] of [
    ['/webhooks/acme.test', '2025-12-31', '2026-01-15'],
    ['/logs/acme.test', '2025-12-31', '2026-01-15'],
    ['/v1/stats/delivery-times', '2026-01-14', '2026-01-15'],
    ['/v1/insights', '2026-01-14', '2026-01-15'],
    ['/v1/admin/insights', '2026-01-14', '2026-01-15'],
  ] as const) {
    const days = await daysNamedBy(path)
    assert.deepEqual([days[0], days.at(-1)], [first, last], path)
  }
})

test('of a response that may contain events of any day, all of them, also if it has found nothing', async () => {
  for (const path of [
    '/v1/messages/m1',
    '/v1/messages/none',
    '/v1/admin/messages/m1',
    '/webhooks/acme.test?message_id=m1',
    '/webhooks/acme.test?message_id=none',
    '/domain/stats',
  ])
    assert.equal((await daysNamedBy(path))[0], '2025-01-15', path)
})

test('the last 24 hours are one day if they end with it', async () => {
  fixture.advance(11.5 * HOUR_MS)
  // Of whole hours. Another question than before, whose answer may be kept for a while.
  assert.deepEqual(await daysNamedBy('/v1/insights?domain=acme.test'), ['2026-01-15'])
  fixture.advance(HOUR_MS / 2)
  assert.deepEqual(await daysNamedBy('/v1/stats/delivery-times'), ['2026-01-15'])
})
