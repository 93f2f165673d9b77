/** On a PostgreSQL that answers as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import { RetainedTime } from './retained-time.ts'
import { CountedHours, Totals } from './totals.ts'

const HOUR_OF_JAN_2 = 24
const none = { lastDay: null, closed: null }

describe('counted hours', () => {
  test('begin after the days that are in the totals, of each shard', () => {
    const hours = new CountedHours({ lastDay: '1970-01-01', closed: '1 1970-01-03,2 1969-12-31' })
    assert.deepEqual(
      [0, 1, 2].map((shard) => hours.fromHourOf(shard)),
      [HOUR_OF_JAN_2, 3 * 24, HOUR_OF_JAN_2],
    )
    assert.deepEqual(
      [HOUR_OF_JAN_2, HOUR_OF_JAN_2 + 1].map((hour) => hours.isAfterClosed(hour)),
      [false, true],
    )
    assert.equal(new CountedHours().fromHourOf(0), 0)
    assert.equal(new CountedHours({ lastDay: null, closed: '0 1970-01-01' }).fromHourOf(0), 24)
  })

  test('are equal if they are for every shard, and for those that are in neither', () => {
    const of = (lastDay: string | null, closed: string | null) => new CountedHours({ lastDay, closed })
    assert.ok(of(null, null).equals(new CountedHours()))
    assert.ok(of('1970-01-02', null).equals(of('1970-01-02', '3 1970-01-01')))
    assert.ok(!of('1970-01-02', null).equals(of('1970-01-03', null)))
    assert.ok(!of('1970-01-02', null).equals(of('1970-01-02', '3 1970-01-03')))
    assert.ok(!of('1970-01-02', '3 1970-01-03').equals(of('1970-01-02', null)))
    // The same for the only shard that is closed.
    assert.ok(!of('1970-01-01', '0 1970-01-03').equals(of('1970-01-03', '0 1970-01-03')))
  })
})

describe('totals', () => {
  type Row = object | undefined

  function open(rows: readonly Row[]) {
    const waiting = [...rows]
    let reads = 0
    const get = async () => {
      reads++
      return waiting.shift()
    }
    const totals = new Totals({ get } as unknown as Statements)
    const counted: number[] = []
    const read = () =>
      totals.readWith([1], async (hours) => {
        counted.push(hours.fromHourOf(0))
        return counted.length
      })
    return { read, counted, countReads: () => reads }
  }

  const days = (lastDay: string | null) => ({ lastDay, closed: null, closedTotals: null, totals: null })

  test('are those of closed and of removed days, beside what is counted from the hour after them', async () => {
    const found = { ...days('1970-01-01'), closedTotals: '1 2 3 4,9 0 0 5', totals: '1 Delivery 7,1 Bounce 8,1 Open 9' }
    const { read, counted, countReads } = open([
      days('1970-01-01'),
      found,
      days('1970-01-01'),
      found,
      days('1970-01-01'),
    ])
    const { totals, counted: result } = await read()
    assert.deepEqual(totals, [
      { domain: 1, bounce: 2, delivery: 3, reception: 4 },
      { domain: 9, bounce: 0, delivery: 0, reception: 5 },
      { domain: 1, bounce: 0, delivery: 7, reception: 0 },
      { domain: 1, bounce: 8, delivery: 0, reception: 0 },
      { domain: 1, bounce: 0, delivery: 0, reception: 0 },
    ])
    assert.deepEqual([result, counted, countReads()], [1, [24], 3])
    // The hours are known from the read before.
    await read()
    assert.deepEqual([counted, countReads()], [[24, 24], 5])
  })

  test('are read and counted again if a day was closed or removed meanwhile', async () => {
    const moved = open([none, days('1970-01-01'), days('1970-01-01'), days('1970-01-01'), days('1970-01-01')])
    await moved.read()
    assert.deepEqual(moved.counted, [0, 24])
    const removed = open([
      none,
      days(null),
      days('1970-01-01'),
      days('1970-01-01'),
      days('1970-01-01'),
      days('1970-01-01'),
      days('1970-01-01'),
    ])
    await removed.read()
    assert.deepEqual(removed.counted, [0, 0, 24])
    assert.deepEqual((await open([]).read()).totals, [])
  })

  test('are refused if days change all the time', async () => {
    const changing = Array.from({ length: 100 }, (_, index) => days(`1970-01-${10 + (index % 20)}`))
    const { read, counted } = open(changing)
    await assert.rejects(read(), { code: 'storage_unavailable' })
    assert.equal(counted.length, 20)
  })
})

describe('the time from which events are retained', () => {
  function open(answers: readonly (string | null | Error)[]) {
    const waiting = [...answers]
    let reads = 0
    const get = async () => {
      reads++
      const day = waiting.shift()
      if (day instanceof Error) throw day
      return { day }
    }
    return { time: new RetainedTime({ get } as unknown as Statements), countReads: () => reads }
  }
  const away = () => new AppError('storage_unavailable', 'x')
  const JAN_2 = 86_400

  test('is the end of the last day that was removed, read every two seconds, and by all who ask together', async (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const { time, countReads } = open([null, '1970-01-01', '1970-01-02'])
    assert.deepEqual(await Promise.all([time.from(), time.from()]), [0, 0])
    now += 1999
    assert.deepEqual([await time.from(), countReads()], [0, 1])
    now += 1
    assert.deepEqual([await time.from(), countReads()], [JAN_2, 2])
    now += 2000
    assert.deepEqual([await time.from(), countReads()], [2 * JAN_2, 3])
  })

  test('is asked for anew after a removal, also by those who ask while an older answer is under way', async () => {
    const { time, countReads } = open([null, '1970-01-01'])
    const older = time.from()
    time.forget()
    const newer = time.from()
    assert.deepEqual([await older, await newer, countReads()], [0, JAN_2, 2])
    assert.deepEqual([await time.from(), countReads()], [JAN_2, 2])
  })

  test('never goes back, and stays as it was known while it cannot be read', async () => {
    const { time } = open(['1970-01-02', '1970-01-01', away(), new Error('bug'), '1970-01-05'])
    assert.equal(await time.from(), 2 * JAN_2)
    for (let times = 0; times < 2; times++) {
      time.forget()
      assert.equal(await time.from(), 2 * JAN_2)
    }
    time.forget()
    await assert.rejects(time.from(), /^Error: bug$/)
    assert.equal(await time.from(), 5 * JAN_2)
  })

  test('is not known before the first answer', async () => {
    const { time } = open([away(), null])
    await assert.rejects(time.from(), { code: 'storage_unavailable' })
    assert.equal(await time.from(), 0)
  })
})
