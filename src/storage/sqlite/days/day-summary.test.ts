import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { EVENT_TYPES, type EventType } from '../../../events/event.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'
import { DaySummary } from './day-summary.ts'

const NOON = 1_772_366_400
const BOUNCE = EVENT_TYPES.indexOf('Bounce')

function row(domainNumber: number, id: string, type: EventType, response_code: number) {
  const event = { id, timestamp: NOON, type, domain_name: 'a.test', recipient: 'u@b.test', response_code }
  return toEventRow({ domainNumber, event })
}

function openDay() {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const store = (...rows: ReturnType<typeof row>[]) => {
    const [commit] = writers.store([rows], NOON * 1000).commits
    assert.ok(commit)
    return commit
  }
  store(row(1, 'a', 'Bounce', 550), row(1, 'b', 'Delivery', 250), row(2, 'c', 'Bounce', 450))
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  const close = () => {
    db.close()
    writers.close()
    folder[Symbol.dispose]()
  }
  return { db, store, [Symbol.dispose]: close }
}

test('counts events of a domain by type; 0 for domains and types that are not there', () => {
  using day = openDay()
  const summary = DaySummary.load(day.db)
  assert.deepEqual([summary.count(1), summary.count(1, [BOUNCE]), summary.count(3)], [2, 1, 0])
  assert.equal(summary.events, 3)
})

test('the counts of a domain are without those of the next one', () => {
  using day = openDay()
  day.store(...[1, 2, 3].map((domain) => row(domain, 'r', 'Reception', 0)))
  const summary = DaySummary.load(day.db)
  assert.deepEqual(
    [1, 2, 3].map((domain) => summary.count(domain)),
    [3, 2, 1],
  )
})

test('with every commit applied it equals a newly read one; applying a commit twice changes nothing', () => {
  using day = openDay()
  const summary = DaySummary.load(day.db)
  const rows = Array.from({ length: 100 }, (_, domain) => row(domain, 'd', 'Bounce', 551))
  const commits = [day.store(...rows), day.store(row(7, 'e', 'Feedback', 0), row(8, 'e', 'Reception', 0))]
  for (const commit of [...commits, ...commits]) assert.equal(summary.apply(commit), true)
  const fresh = DaySummary.load(day.db)
  for (let domain = 0; domain < 101; domain++) {
    assert.equal(summary.count(domain), fresh.count(domain))
  }
  assert.equal(summary.count(8), 2)
  const listed = (each: DaySummary) => [...each.listCounts()].toSorted(([a, b], [c, d]) => a - c || b - d)
  assert.deepEqual(listed(summary), listed(fresh))
})

test('a clock that was set back does not change when it last grew', () => {
  using day = openDay()
  const summary = DaySummary.load(day.db)
  const commit = day.store(row(1, 'g', 'Bounce', 550))
  assert.ok(summary.apply({ ...commit, committedAtMs: commit.committedAtMs - 5000 }))
  assert.ok([...summary.listCounts()].every(([, , , changedAtMs]) => changedAtMs === NOON * 1000))
})

test('after a missed commit it refuses the next one', () => {
  using day = openDay()
  const summary = DaySummary.load(day.db)
  day.store(row(1, 'missed', 'Bounce', 550))
  assert.equal(summary.apply(day.store(row(1, 'next', 'Bounce', 550))), false)
})

test('only the types of the statistics are listed, with the time of their last change', () => {
  using day = openDay()
  day.store(row(3, 'f', 'Delayed', 400))
  const summary = DaySummary.load(day.db)
  const listed = [...summary.listCounts()].filter(([, , count]) => count > 0)
  const numberOf = (type: EventType) => EVENT_TYPES.indexOf(type)
  assert.deepEqual(
    listed.toSorted(([a, b], [c, d]) => a - c || b - d),
    [
      [1, numberOf('Delivery'), 1, NOON * 1000],
      [1, numberOf('Bounce'), 1, NOON * 1000],
      [2, numberOf('Bounce'), 1, NOON * 1000],
    ],
  )
  assert.ok([...summary.listCounts()].every(([domain]) => domain !== 3))
})
