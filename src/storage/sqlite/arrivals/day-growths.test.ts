import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { HistoryReader } from '../history/history-reader.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { type ArrivalCursor, formatArrivalCursor, parseArrivalCursor, SETTLED_AFTER_MS } from './arrival-cursor.ts'
import { cursorAtEnd, type DayGrowth, DayGrowths, findRead, listGrown } from './day-growths.ts'

const NOW_MS = 1_772_366_400_000
const growths = (entries: Record<string, [arrival: number, storedAtMs: number]>) =>
  new Map(Object.entries(entries).map(([day, [arrival, storedAtMs]]) => [day, { arrival, storedAtMs }]))

test('a cursor is read back from its text, which is short', () => {
  const arrivals = new Map([
    ['2026-03-01', 1_234_567],
    ['2026-02-28', 1],
  ])
  const cursor: ArrivalCursor = { sinceMs: NOW_MS, arrivals }
  assert.deepEqual(parseArrivalCursor(formatArrivalCursor(cursor)), cursor)
  assert(formatArrivalCursor(cursor).length < 30)
})

test('a cursor at the end names only days that have grown recently, and there is nothing left to read', () => {
  const days = growths({
    '2026-02-01': [500, NOW_MS - SETTLED_AFTER_MS - 1],
    '2026-02-28': [70, NOW_MS - SETTLED_AFTER_MS + 1],
    '2026-03-01': [90, NOW_MS],
  })
  const cursor = cursorAtEnd(days)
  assert.deepEqual([...cursor.arrivals.keys()], ['2026-02-28', '2026-03-01'])
  assert.deepEqual([...listGrown(cursor, days)], [])
})

test('a day that the cursor does not name has grown if events were stored in it since then', () => {
  const before = growths({ '2026-02-01': [500, 1], '2026-03-01': [90, NOW_MS] })
  const cursor = cursorAtEnd(before)
  const days = growths({ '2026-02-01': [501, NOW_MS + 5], '2026-03-01': [90, NOW_MS], '2026-03-02': [1, NOW_MS + 5] })
  assert.deepEqual(
    [...listGrown(cursor, days)],
    [
      ['2026-02-01', 501],
      ['2026-03-02', 1],
    ],
  )
})

test('a file restored from a backup is read from the time of the cursor', () => {
  const cursor = cursorAtEnd(growths({ '2026-03-01': [90, NOW_MS] }))
  const restored = growths({ '2026-03-01': [40, NOW_MS + 5] })
  assert.deepEqual([...listGrown(cursor, restored)], [['2026-03-01', 40]])
})

test('a position after the end of the day is of another file', () => {
  const cursor = { sinceMs: 0, arrivals: new Map([['2026-03-01', 5]]) }
  assert.deepEqual(
    [4, 5, 6].map((last) => findRead(cursor, '2026-03-01', last)),
    [undefined, 5, 5],
  )
  assert.equal(findRead(cursor, '2026-03-02', 5), undefined)
})

describe('the days that have grown', () => {
  const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']

  function openReaders() {
    const folder = openTemporaryFolder()
    const files = new DayFiles(folder.path)
    const history = new HistoryReader(folder.path)
    const readers = new DayReaders(files, 'service_message_id', SEARCH_THRESHOLDS, { history })
    const store = (day: Day, nowMs: number, ...ids: readonly string[]) => {
      const writers = new DayWriters(files, () => false)
      const rows = ids.map((id) => {
        const event = { id, timestamp: Date.parse(day) / 1000, domain_name: 'a.test', recipient: 'u@b.test' }
        return toEventRow({ domainNumber: 1, event: { ...event, type: 'Bounce' } })
      })
      const { commits } = writers.store([rows], nowMs)
      writers.close()
      return commits
    }
    const close = () => {
      readers.close()
      folder[Symbol.dispose]()
    }
    return { files, readers, growths: new DayGrowths(readers), store, [Symbol.dispose]: close }
  }

  function commitOf(day: Day, arrival: number, storedAtMs: number): DayCommit {
    const nothing = { counts: [], codes: [], messageIds: [] }
    return { day, arrivalBefore: arrival - 1, arrival, ...nothing, committedAtMs: storedAtMs, storedAtMs }
  }

  test('are those with a commit since the time of the cursor or in the last ten minutes, and those that it names', async () => {
    const step = fc.record({
      day: fc.constantFrom(...DAYS),
      arrival: fc.integer({ min: 1, max: 6 }),
      minutes: fc.integer({ min: 0, max: 40 }),
      sinceMinutes: fc.integer({ min: -5, max: 45 }),
      named: fc.subarray([...DAYS, '2026-03-09']),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        using scene = openReaders()
        const model = new Map<Day, DayGrowth>()
        for (const { day, arrival, minutes, sinceMinutes, named } of steps) {
          const commit = commitOf(day, arrival, NOW_MS + minutes * 60_000)
          scene.growths.learn([commit])
          scene.readers.learn([commit])
          const known = model.get(day)
          if (!known || arrival > known.arrival)
            model.set(day, { arrival, storedAtMs: Math.max(known?.storedAtMs ?? 0, commit.storedAtMs) })
          // Not beyond what is known: then the file would be asked.
          const arrivals = new Map(named.flatMap((each) => (model.has(each) ? [[each, 1] as const] : [])))
          const sinceMs = NOW_MS + sinceMinutes * 60_000
          const newestMs = Math.max(...[...model.values()].map(({ storedAtMs }) => storedAtMs))
          const settledMs = Math.min(sinceMs, newestMs - SETTLED_AFTER_MS)
          const expected = [...model]
            .filter(([each, { storedAtMs }]) => arrivals.has(each) || storedAtMs > settledMs)
            .sort(([a], [b]) => (a < b ? -1 : 1))
          assert.deepEqual([...(await scene.growths.list({ sinceMs, arrivals }))], expected)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('are read from their files at first, and again once they are forgotten', async () => {
    using scene = openReaders()
    const [first = '', second = ''] = DAYS
    const laterMs = Date.now() + 1_000_000_000
    scene.readers.learn(scene.store(first, laterMs, 'a', 'b'))
    const all = { sinceMs: 0, arrivals: new Map<Day, number>() }
    assert.deepEqual([...(await scene.growths.list(all))], [[first, { arrival: 2, storedAtMs: laterMs }]])
    scene.store(first, laterMs + 5, 'c')
    assert.equal((await scene.growths.list(all)).get(first)?.arrival, 2, 'nobody has told')
    // A cursor of somebody who knows.
    const known = { sinceMs: 0, arrivals: new Map([[first, 3]]) }
    assert.deepEqual((await scene.growths.list(known)).get(first), { arrival: 3, storedAtMs: laterMs + 5 })
    scene.store(second, laterMs + 9, 'd')
    const more = { sinceMs: laterMs + 8, arrivals: new Map([[second, 1]]) }
    assert.deepEqual([...(await scene.growths.list(more)).keys()], [first, second])
    scene.store(first, laterMs + 20, 'e')
    scene.readers.refresh(first)
    assert.equal((await scene.growths.list(all)).get(first)?.arrival, 3)
    scene.growths.forget()
    assert.equal((await scene.growths.list(all)).get(first)?.arrival, 4)
    scene.files.remove(first)
    scene.readers.dropRemoved()
    assert.deepEqual([...(await scene.growths.list(known)).keys()], [second])
  })
})
