import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { hashId } from '../days/message-identity.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { DayKnowledge } from './day-knowledge.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const CODES = [{ from: 500, to: 599 }]
const MESSAGE = { id: 'm', hash: 1 }
const NO_NEEDS = { codes: undefined, messageId: undefined }

/** A day with bounces of one domain. `messages`: how many it is said to have, if not these. */
function openDay(ids: readonly string[], messages?: number) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const store = (...more: readonly string[]): DayCommit => {
    const rows = more.map((id) => {
      const event = { id, timestamp: NOON, type: 'Bounce', domain_name: 'a.test', recipient: 'u@b.test' } as const
      return toEventRow({ domainNumber: 1, event: { ...event, response_code: 550 } })
    })
    const [commit] = writers.store([rows], 0).commits
    assert.ok(commit)
    return commit
  }
  store(...ids)
  const db = files.openForWriting(DAY, 1000)
  if (messages !== undefined) db.run('UPDATE day SET message = ?', messages)
  const close = () => {
    db.close()
    writers.close()
    folder[Symbol.dispose]()
  }
  return { known: new DayKnowledge(db), store, [Symbol.dispose]: close }
}

function finish(steps: Generator<undefined>): void {
  for (const _ of steps);
}

test('each part is loaded when it is needed, and kept current by commits', () => {
  using day = openDay(['a', 'b'])
  const { known } = day
  assert.equal(known.isKnown, false)
  assert.deepEqual([known.summary.count(1), known.isKnown, known.codes], [2, true, undefined])
  assert.deepEqual(
    [NO_NEEDS, { ...NO_NEEDS, codes: CODES }, { ...NO_NEEDS, messageId: MESSAGE }].map((needs) =>
      known.isLoadedFor(needs),
    ),
    [true, false, false],
  )
  finish(known.load(NO_NEEDS))
  assert.deepEqual([known.codes], [undefined], 'nothing needs them')
  finish(known.load({ ...NO_NEEDS, codes: CODES }))
  assert.equal(known.codes?.count(1, CODES), 2)
  assert.equal(known.isLoadedFor({ codes: CODES, messageId: MESSAGE }), false)
  assert.equal(known.mayHaveMessage(hashId('c')), true, 'it is not known yet')
  finish(known.load({ codes: CODES, messageId: MESSAGE }))
  assert.equal(known.codes?.count(1, CODES), 2, 'not loaded twice')
  assert.equal(known.isLoadedFor({ codes: CODES, messageId: MESSAGE }), true)
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => known.mayHaveMessage(hashId(id))),
    [true, true, false],
  )
  known.learn(day.store('c'))
  assert.deepEqual([known.summary.count(1), known.codes?.count(1, CODES)], [3, 3])
  assert.equal(known.mayHaveMessage(hashId('c')), true)
  known.forget()
  assert.deepEqual([known.isKnown, known.codes, known.mayHaveMessage(hashId('d'))], [false, undefined, true])
  assert.equal(known.isLoadedFor({ ...NO_NEEDS, messageId: MESSAGE }), false)
})

test('a commit that was missed makes it forget everything', () => {
  using day = openDay(['a'])
  const { known } = day
  assert.equal(known.summary.count(1), 1)
  finish(known.load({ codes: CODES, messageId: MESSAGE }))
  day.store('b')
  known.learn(day.store('c'))
  assert.deepEqual([known.isKnown, known.codes], [false, undefined])
  assert.equal(known.mayHaveMessage(hashId('d')), true)
  assert.equal(known.summary.count(1), 3)
})

test('while one search loads a part, others do without it; what is abandoned is loaded again', () => {
  // More than one step.
  using day = openDay(Array.from({ length: 5001 }, (_, index) => `m${index}`))
  const { known } = day
  const needs = { ...NO_NEEDS, messageId: MESSAGE }
  const loading = known.load(needs)
  assert.equal(loading.next().done, false)
  assert.equal(known.isLoadedFor(needs), true)
  assert.equal(known.mayHaveMessage(hashId('absent')), true)
  loading.return(undefined)
  assert.equal(known.isLoadedFor(needs), false)
  finish(known.load(needs))
  assert.equal(known.mayHaveMessage(hashId('m5000')), true)
  const absent = Array.from({ length: 100 }, (_, index) => known.mayHaveMessage(hashId(`absent ${index}`)))
  assert.ok(absent.filter((may) => !may).length > 80)
})

test('what is forgotten while it is being loaded is not taken for loaded, nor what is loaded since abandoned', () => {
  using day = openDay(Array.from({ length: 5001 }, (_, index) => `m${index}`))
  const { known } = day
  const needs = { ...NO_NEEDS, messageId: MESSAGE }
  const first = known.load(needs)
  first.next()
  known.forget()
  assert.equal(known.isLoadedFor(needs), false)
  const second = known.load(needs)
  second.next()
  first.return(undefined)
  assert.equal(known.isLoadedFor(needs), true)
  second.return(undefined)
  assert.equal(known.isLoadedFor(needs), false)
})

test('a filter that has become too small is loaded again', () => {
  using day = openDay(['a'])
  const { known } = day
  const needs = { ...NO_NEEDS, messageId: MESSAGE }
  finish(known.load(needs))
  known.learn(day.store(...Array.from({ length: 500 }, (_, index) => `m${index}`)))
  assert.equal(known.isLoadedFor(needs), true)
  known.learn(day.store(...Array.from({ length: 600 }, (_, index) => `n${index}`)))
  assert.equal(known.isLoadedFor(needs), false)
  assert.equal(known.mayHaveMessage(hashId('absent')), true)
})

test('a day with more than 250,000 messages has no filter of their ids', () => {
  const needs = { ...NO_NEEDS, messageId: MESSAGE }
  for (const [messages, may] of [
    [250_000, false],
    [250_001, true],
  ] as const) {
    using day = openDay(['a'], messages)
    finish(day.known.load(needs))
    assert.equal(day.known.isLoadedFor(needs), true)
    assert.equal(day.known.mayHaveMessage(hashId('absent')), may)
  }
})
