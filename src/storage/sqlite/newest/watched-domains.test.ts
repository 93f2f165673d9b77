import assert from 'node:assert/strict'
import { test } from 'node:test'
import { burst } from '../../contract/log-scene.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { toEventRow } from '../writing/event-row.ts'
import { type PackedRows, RowPack } from '../writing/packed-rows.ts'
import { findChanges } from './domain-changes.ts'
import { WatchedDomains } from './watched-domains.ts'

const DAY = '2026-03-01'
const MINUTE_MS = 60_000

function pack(domains: readonly number[], subject: string | ((index: number) => string) = 'x'): PackedRows {
  const rows = domains.map((number, index) => {
    const { event, domainNumber } = burst(index, { number, name: 'a.test' })
    return toEventRow({
      domainNumber,
      event: {
        ...event,
        timestamp: event.timestamp + index + 1,
        subject: typeof subject === 'string' ? subject : subject(index),
      },
    })
  })
  const packed = new RowPack()
  // Two requests of one group.
  packed.addRequest(rows.slice(0, 1))
  packed.addRequest(rows.slice(1))
  return packed.finish()
}

function commitOf(counts: DayCommit['counts'], day = DAY): DayCommit {
  return { day, arrivalBefore: 10, arrival: 20, counts, codes: [], messageIds: [], committedAtMs: 0, storedAtMs: 0 }
}

const indexes = (watched: WatchedDomains, packed: PackedRows) => watched.select(packed).map(({ index }) => index)

test('the rows of domains that were requested within the last minute are selected', () => {
  let nowMs = 0
  const watched = new WatchedDomains(() => nowMs)
  const packed = pack([1, 2, 1, 3])
  assert.deepEqual(indexes(watched, packed), [])
  watched.note(1)
  nowMs = MINUTE_MS / 2
  watched.note(3)
  assert.deepEqual(indexes(watched, packed), [0, 2, 3])
  nowMs = MINUTE_MS
  assert.deepEqual(indexes(watched, packed), [3])
  watched.note(3)
  nowMs = 2 * MINUTE_MS - 1
  assert.deepEqual(indexes(watched, packed), [3])
  nowMs = 2 * MINUTE_MS
  assert.deepEqual(indexes(watched, packed), [])
})

test('a domain that was requested again is the last to be forgotten, and those before it are forgotten in time', () => {
  let nowMs = 0
  const watched = new WatchedDomains(() => nowMs)
  watched.note(1)
  nowMs = 10_000
  watched.note(2)
  nowMs = 20_000
  watched.note(1)
  nowMs = 10_000 + MINUTE_MS
  assert.deepEqual(indexes(watched, pack([1, 2])), [0])
})

test('rows are not looked at while no domain is watched', () => {
  const unread = new Proxy(pack([1]), { get: () => assert.fail('a row was read') })
  assert.deepEqual(new WatchedDomains().select(unread), [])
})

test('a domain that gets very many events has to be requested again', () => {
  const watched = new WatchedDomains(() => 0)
  const packed = pack(Array.from({ length: 600 }, () => 1))
  watched.note(1)
  assert.equal(indexes(watched, packed).length, 600)
  assert.equal(indexes(watched, packed).length, 400)
  assert.equal(indexes(watched, packed).length, 0)
  watched.note(1)
  assert.equal(indexes(watched, packed).length, 600)
})

test('memory is bounded: in domains, in rows and in their texts', () => {
  const watched = new WatchedDomains(() => 0)
  for (let domain = 0; domain <= 5000; domain++) watched.note(domain)
  assert.deepEqual(indexes(watched, pack([0, 1, 5000])), [1, 2], 'the first request is forgotten')
  const many = (rows: number) => pack(Array.from({ length: rows }, (_, index) => 100 + (index % 1000)))
  assert.equal(indexes(watched, many(5000)).length, 5000)
  assert.equal(indexes(watched, many(5001)).length, 0)
  const subject = 'x'.repeat(65_000)
  const large = (rows: number) =>
    pack(
      Array.from({ length: rows }, () => 1),
      subject,
    )
  assert.equal(indexes(watched, large(100)).length, 100)
  assert.equal(indexes(watched, large(200)).length, 0)
  // Exactly as much as may be kept, and one character more.
  const domains = Array.from({ length: 129 }, () => 1)
  const packed = (last: string) => pack(domains, (index) => (index < 128 ? subject : last))
  watched.note(1)
  const rest = 8 * 2 ** 20 - watched.select(packed('')).reduce((sum, { characters }) => sum + characters, 0)
  assert.equal(indexes(watched, packed('x'.repeat(rest))).length, 129)
  assert.equal(indexes(watched, packed('x'.repeat(rest + 1))).length, 0)
})

test('a change is known if all events that were stored of the domain are', () => {
  const watched = new WatchedDomains()
  for (const domain of [1, 2]) watched.note(domain)
  const rows = watched.select(pack([1, 2, 1, 3]))
  const arrivals = Uint32Array.from([11, 12, 0, 13])
  const known = (commits: readonly DayCommit[], isUsed = true) =>
    [...findChanges(commits, { rows, arrivals }, () => isUsed)].map(([domain, added]) => [
      domain,
      added?.map(({ position }) => position.arrival),
    ])
  const counts = [
    [1, 0, 1],
    [2, 0, 1],
    [3, 0, 1],
  ] as const
  assert.deepEqual(known([commitOf(counts)]), [
    [1, [11]],
    [2, [12]],
    [3, undefined],
  ])
  assert.deepEqual(
    known([
      commitOf([
        [1, 0, 1],
        [1, 4, 1],
      ]),
    ]),
    [[1, undefined]],
    'of two, one is known',
  )
  assert.deepEqual(
    known([commitOf(counts)], false).flatMap(([, added]) => added ?? []),
    [],
    'the day is set aside',
  )
  assert.deepEqual(known([commitOf([[1, 0, 1]], '2026-03-02')]), [[1, undefined]], 'the other day has failed')
  const all = Uint32Array.from([11, 12, 14, 13])
  const twice = findChanges([commitOf([[1, 0, 2]])], { rows, arrivals: all }, () => true).get(1)
  assert.deepEqual(
    twice?.map(({ position }) => position),
    [
      { timestamp: burst(0, { number: 1, name: 'a.test' }).event.timestamp + 1, arrival: 11 },
      { timestamp: burst(2, { number: 1, name: 'a.test' }).event.timestamp + 3, arrival: 14 },
    ],
  )
  const unknown = findChanges([commitOf(counts)], undefined, () => true)
  assert.deepEqual([...unknown.values()], [undefined, undefined, undefined])
})
