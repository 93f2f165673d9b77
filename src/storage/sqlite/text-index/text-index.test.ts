/** The text index of a day, through the writer that fills it: whatever happens, every message with the text is a candidate. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database, type Row, type SqlValue } from '../database/database.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriter } from '../writing/day-writer.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { TextCandidates } from './text-candidates.ts'
import { TextIndex } from './text-index.ts'
import { SignatureTest } from './text-signature.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const LATER_MS = 60_000

/** Messages of a domain, numbered from `first` on, whose recipients have the word. */
function rowsOf(domain: number, first: number, count: number, word = 'user', timestamp = NOON) {
  return Array.from({ length: count }, (_, index) => {
    const id = `m${domain}-${first + index}`
    const event = { id, timestamp, type: 'Delivery' as const, domain_name: 'a.test' }
    return toEventRow({ domainNumber: domain, event: { ...event, recipient: `${word}${first + index}@b.test` } })
  })
}

/** Runs the generator to its end. */
function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

function openDay() {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  writers.store([rowsOf(99, 0, 1)], 0)
  const db = files.openForReading(DAY, 1000)
  const candidates = new TextCandidates(db)
  const readDay = () => {
    const day = db.get<{ arrival: number; message: number; indexed: number }>(
      'SELECT arrival, message, indexed FROM day',
    )
    assert.ok(day)
    return day
  }
  const find = (domain: number, recipient: string) => {
    const signature = SignatureTest.of([{ text: recipient, fields: ['recipient'] }])
    assert.ok(signature)
    return finish(candidates.ofDomain(domain, signature, readDay().arrival))
  }
  const count = (sql: string) => db.get<{ count: number }>(`SELECT ${sql} AS count FROM message_signature`)?.count
  const close = () => {
    db.close()
    writers.close()
    folder[Symbol.dispose]()
  }
  return { files, writers, candidates, readDay, find, count, [Symbol.dispose]: close }
}

test('a message is a candidate before it is in the index, and found by its text once it is', () => {
  using day = openDay()
  day.writers.store([rowsOf(1, 0, 5), rowsOf(1, 5, 2, 'someone')], 0)
  assert.equal(day.readDay().indexed, 0)
  assert.equal(day.find(1, 'someone').tail.length, 7)
  while (day.writers.compact(performance.now() + LATER_MS) === 0);
  assert.equal(day.readDay().indexed, day.readDay().message)
  assert.deepEqual(day.find(1, 'someone'), { numbers: [7, 8], messages: 7, tail: [] })
  day.writers.store([rowsOf(1, 7, 1)], 0)
  assert.deepEqual(day.find(1, 'someone'), { numbers: [7, 8], messages: 7, tail: [9] })
})

test('a large commit goes into the index at once, and so does a tail that has grown', () => {
  using day = openDay()
  day.writers.store([rowsOf(1, 0, 1500)], 0)
  assert.equal(day.readDay().indexed, 1501)
  for (let first = 1500; first < 2700; first += 100) day.writers.store([rowsOf(1, first, 100)], 0)
  const { indexed, message } = day.readDay()
  assert.ok(indexed > 2000 && indexed < message, `${indexed} of ${message}`)
  const { messages, tail } = day.find(1, 'user')
  assert.equal(messages + tail.length, 2700)
  assert.equal(tail.length, message - indexed)
})

test('rows of a domain are merged when the day is idle, and not while it is written to', () => {
  using day = openDay()
  const domains = Array.from({ length: 40 }, (_, index) => index + 1)
  for (let first = 0; first < 300; first += 30) {
    day.writers.store([domains.flatMap((domain) => rowsOf(domain, first, 30))], 0)
  }
  const loose = day.count('count(*)') ?? 0
  assert.ok(loose >= 400, `${loose}`)
  const now = performance.now()
  const waitMs = day.writers.compact(now)
  assert.ok(waitMs !== undefined && waitMs > 0 && waitMs < LATER_MS, `${waitMs}`)
  assert.equal(day.count('count(*)'), loose)

  while (day.writers.compact(now + LATER_MS) === 0);
  // One each, and that of the first message.
  assert.equal(day.count('count(*)'), domains.length + 1)
  assert.equal(day.writers.compact(now + LATER_MS), undefined)
  for (const domain of domains) {
    const { numbers, messages } = day.find(domain, 'user')
    assert.equal(messages, 300)
    assert.equal(new Set(numbers).size, 300)
  }
})

test('more rows than fit in one step are merged too: of one domain, and of many', () => {
  using day = openDay()
  for (let first = 0; first < 33_792; first += 1024) day.writers.store([rowsOf(1, first, 1024)], 0)
  const others = Array.from({ length: 500 }, (_, index) => index + 2)
  for (let first = 0; first < 4; first += 2) {
    const small = others.flatMap((domain) => (domain === 99 ? [] : rowsOf(domain, first, 2)))
    day.writers.store([rowsOf(1, 33_792 + first, 2), small], 0)
  }
  while (day.writers.compact(performance.now() + LATER_MS) === 0);
  const { numbers, messages } = day.find(1, 'user')
  assert.equal(messages, 33_796)
  assert.equal(new Set(numbers).size, 33_796)
  assert.equal(day.count('count(*) FILTER (WHERE length(numbers) < 2048)'), others.length + 1)
})

test('messages that are rolled back are not in the index, and those after them are', () => {
  using day = openDay()
  const writer = new DayWriter(DAY, day.files.openForWriting(DAY, 1000))
  writer.begin()
  for (const row of rowsOf(1, 0, 1200, 'nobody')) writer.write(row)
  writer.finish(0)
  writer.rollback()
  writer.begin()
  for (const row of rowsOf(1, 0, 3, 'someone')) writer.write(row)
  writer.finish(0)
  writer.commit()
  writer.close()
  assert.deepEqual(day.find(1, 'someone'), { numbers: [2, 3, 4], messages: 3, tail: [] })
  assert.equal(day.find(1, 'nobody').numbers.length, 0)
})

test('two writers in turn produce an index with the messages of both', () => {
  using day = openDay()
  const others = new DayWriters(day.files, () => false)
  for (let turn = 0; turn < 6; turn++) {
    day.writers.store([rowsOf(1, turn * 300, 300)], 0)
    others.store([rowsOf(2, turn * 300, 300)], 0)
  }
  others.close()
  while (day.writers.compact(performance.now() + LATER_MS) === 0);
  for (const domain of [1, 2]) {
    const { numbers, messages } = day.find(domain, 'user')
    assert.equal(messages, 1800)
    assert.equal(new Set(numbers).size, 1800)
  }
})

test('rows of days whose files were closed meanwhile are merged too', () => {
  using day = openDay()
  const domains = Array.from({ length: 60 }, (_, index) => index + 1)
  const noons = Array.from({ length: 6 }, (_, index) => NOON + index * 86_400)
  for (const noon of noons) {
    for (const first of [0, 20]) {
      day.writers.store([domains.flatMap((domain) => rowsOf(domain, first, 20, 'user', noon))], 0)
    }
  }
  const countRows = () =>
    noons.map((noon) => {
      const db = day.files.openForReading(dayOfTimestamp(noon), 1000)
      const row = db.get<{ count: number }>('SELECT count(*) AS count FROM message_signature WHERE key < 99 << 28')
      db.close()
      return row?.count
    })
  assert.deepEqual(
    countRows(),
    noons.map(() => 2 * domains.length),
  )
  while (day.writers.compact(performance.now() + LATER_MS) === 0);
  assert.deepEqual(
    countRows(),
    noons.map(() => domains.length),
  )
  assert.equal(day.writers.compact(performance.now() + LATER_MS), undefined)
})

test('a tail that could not be read is read the next time', () => {
  using day = openDay()
  day.writers.store([rowsOf(1, 0, 5)], 0)
  class FailingDatabase extends Database {
    isFailing = true
    override all<T extends Row>(sql: string, ...values: SqlValue[]): T[] {
      if (this.isFailing) throw new Error('disk I/O error')
      return super.all(sql, ...values)
    }
  }
  const db = new FailingDatabase(day.files.path(DAY), { readOnly: true })
  const index = new TextIndex(db)
  assert.throws(() => index.begin(day.readDay()), /disk I\/O error/)
  assert.throws(() => index.add(1, { recipient: 'a', sender: null, from: null, subject: null }), /transaction/)
  db.isFailing = false
  index.begin(day.readDay())
  assert.equal(index.isCompacted, false)
  db.close()
})

test('a day that is closed has no tail', () => {
  using day = openDay()
  day.writers.store([rowsOf(1, 0, 50)], 0)
  day.writers.close()
  assert.equal(day.readDay().indexed, 51)
})

test('of many domains: their candidates and all new messages, unless there are too many', () => {
  using day = openDay()
  day.writers.store([rowsOf(1, 0, 600), rowsOf(2, 0, 600, 'someone')], 0)
  day.writers.store([rowsOf(3, 0, 5)], 0)
  const signature = SignatureTest.of([{ text: 'someone', fields: ['recipient'] }])
  assert.ok(signature)
  const find = (domains: readonly (readonly number[])[], most: number) =>
    finish(day.candidates.ofDomains(domains, signature, day.readDay().arrival, most))
  assert.equal(find([[1], [2]], 600)?.length, 605)
  assert.equal(find([[1, 2]], 600)?.length, 605)
  assert.equal(find([[1]], 600)?.length, 5)
  assert.equal(find([[1, 2]], 599), undefined)
})
