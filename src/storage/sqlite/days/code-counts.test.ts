import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { CodeCounts } from './code-counts.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'

const NOON = 1_772_366_400

function openDay() {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  let messages = 0
  const store = (...codes: readonly (readonly [domain: number, code?: number])[]) => {
    const rows = codes.map(([domainNumber, response_code]) => {
      const event = { id: `m${messages++}`, timestamp: NOON, type: 'Bounce', domain_name: 'a.test' } as const
      const code = response_code === undefined ? {} : { response_code }
      return toEventRow({ domainNumber, event: { ...event, recipient: 'u@b.test', ...code } })
    })
    const [commit] = writers.store([rows], 0).commits
    assert.ok(commit)
    return commit
  }
  store([1, 550])
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  const close = () => {
    db.close()
    writers.close()
    folder[Symbol.dispose]()
  }
  return { db, store, [Symbol.dispose]: close }
}

test('counts events of a domain by code; the code without an index, no code and other domains do not count', () => {
  using day = openDay()
  day.store([1, 551], [1, 250], [1], [2, 450], [1, 550], [1, 999], [1, 0])
  const counts = new CodeCounts()
  for (const _ of counts.load(day.db));
  assert.equal(counts.count(1, [{ from: 550, to: 550 }]), 2)
  assert.equal(counts.count(1, [{ from: 500, to: 599 }]), 3)
  assert.equal(counts.count(1, [{ from: 0, to: 5000 }]), 5)
  assert.equal(counts.count(2, [{ from: 500, to: 599 }]), 0)
  assert.equal(counts.count(3, [{ from: 0, to: 999 }]), 0)
  const overlapping = [
    { from: 500, to: 599 },
    { from: 550, to: 550 },
  ]
  assert.deepEqual(counts.list(1, overlapping), [
    { code: 550, count: 2 },
    { code: 551, count: 1 },
  ])
})

test('a day of many events is loaded in parts; a commit in between counts at least once', () => {
  using day = openDay()
  day.store(...Array.from({ length: 45_000 }, (_, index) => [1 + (index % 3), 550 + (index % 2)] as const))
  const counts = new CodeCounts()
  let parts = 1
  for (const _ of counts.load(day.db)) if (parts++ === 1) counts.learn(day.store([1, 421], [3, 599]))
  assert.ok(parts > 2)
  assert.equal(
    [1, 2, 3].reduce((sum, domain) => sum + counts.count(domain, [{ from: 550, to: 551 }]), 0),
    45_001,
  )
  assert.ok(counts.count(1, [{ from: 421, to: 421 }]) >= 1)
  assert.ok(counts.count(3, [{ from: 599, to: 599 }]) >= 1)
})
