import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError } from '../server/clickhouse.ts'
import { DayVolumes, spanHolding } from './day-volumes.ts'
import { LONGEST_SPAN } from './search-spans.ts'

const DAY = 86_400
const volumes = [
  { day: 20, events: 0 },
  { day: 12, events: 100 },
  { day: 11, events: 1000 },
]

test('a span has about as many events as are wanted, over days without any', () => {
  const end = 21 * DAY - 1
  assert.equal(spanHolding(volumes, end, 1100), LONGEST_SPAN)
  assert.equal(spanHolding(volumes, end, 600), 9 * DAY + DAY / 2)
  assert.equal(spanHolding(volumes, end, 100), 9 * DAY)
  assert.equal(spanHolding(volumes, end, 50), 8 * DAY + DAY / 2)
  assert.equal(spanHolding([], end, 50), LONGEST_SPAN)
})

test('days after the end do not count, and of its own day only what is before it', () => {
  assert.equal(spanHolding(volumes, 11 * DAY + DAY / 2 - 1, 500), DAY / 4)
  assert.equal(spanHolding(volumes, 10 * DAY, 1), LONGEST_SPAN)
})

describe('volumes', () => {
  const domains = (count: number) => Array.from({ length: count }, (_, index) => ({ number: index + 1, name: 'a' }))

  test('are read once a minute, within few rows, and not strictly', async (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const { clickHouse, asked } = scriptClickHouse([[[20, 5]], [[21, 6]]])
    const known = new DayVolumes(clickHouse)
    assert.equal(await known.find(domains(2)), undefined)
    assert.deepEqual(await known.read(domains(2)), [{ day: 20, events: 5 }])
    now += 59_999
    assert.deepEqual(await known.read(domains(2)), [{ day: 20, events: 5 }])
    assert.deepEqual(await known.find(domains(2)), [{ day: 20, events: 5 }])
    const { isStrict, budgetMs, settings } = asked[0]?.options ?? {}
    assert.deepEqual([isStrict, budgetMs, settings, asked.length], [false, 500, { max_rows_to_read: 200_000 }, 1])
    now += 1
    assert.equal(await known.find(domains(2)), undefined)
    assert.deepEqual(await known.read(domains(2)), [{ day: 21, events: 6 }])
  })

  test('are those of at most twenty domains', async () => {
    const { clickHouse, asked } = scriptClickHouse([[[20, 5]]])
    const known = new DayVolumes(clickHouse)
    assert.equal(await known.read(domains(21)), undefined)
    assert.equal(asked.length, 0)
    assert.equal((await known.read(domains(20)))?.length, 1)
    assert.equal((await known.find(domains(20)))?.length, 1)
  })

  test('are not known if that takes too long, and a bug is thrown', async () => {
    const failing = (error: Error) => new DayVolumes(scriptClickHouse([error]).clickHouse).read(domains(1))
    assert.equal(await failing(new BudgetError('late')), undefined)
    assert.equal(await failing(new AppError('storage_unavailable', 'x')), undefined)
    await assert.rejects(failing(new Error('bug')), /^Error: bug$/)
  })
})
