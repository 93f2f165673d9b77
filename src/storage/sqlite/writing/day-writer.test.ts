import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/storage/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import { Database } from '../database/database.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { typeNumber } from '../days/stored-codes.ts'
import { DomainClaims, listClaims } from '../manifest/domain-claims.ts'
import type { Installation } from '../manifest/installation.ts'
import { DayWriter } from './day-writer.ts'
import { type EventRow, toEventRow } from './event-row.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)

function openScene() {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writer = new DayWriter(DAY, files.openForWriting(DAY, 1000))
  const reader = files.openForReading(DAY, 1000)
  const storeWith = (by: DayWriter, rows: readonly EventRow[], nowMs = 0) => {
    by.begin()
    const outcomes = rows.map((row) => by.write(row))
    const commit = by.finish(nowMs)
    by.commit()
    return { outcomes, commit }
  }
  const close = () => {
    reader.close()
    writer.close()
    folder[Symbol.dispose]()
  }
  return {
    files,
    writer,
    reader,
    storeWith,
    store: (...rows: readonly EventRow[]) => storeWith(writer, rows),
    count: (table: string) => reader.number(`SELECT count(*) FROM ${table}`),
    [Symbol.dispose]: close,
  }
}

function rowOf(id: string, fields: Partial<EmailEvent> = {}, domainNumber = 1): EventRow {
  const event = {
    id,
    timestamp: NOON,
    type: 'Bounce',
    domain_name: 'a.test',
    recipient: 'u@b.test',
    ...fields,
  } as const
  return toEventRow({ domainNumber, event, extension: { sending_address: '192.0.2.1' } })
}

describe('hashes that are equal by chance', () => {
  test('do not make two messages one', () => {
    const first = rowOf('m1', { sender: 's@a.test', from: 'f@a.test', subject: 's', size: 5 })
    const others: Partial<EventRow>[] = [
      { recipient: 'other@b.test' },
      { sender: null },
      { subject: 'other' },
      { serviceMessageId: 'other' },
      { size: 6 },
      { mailing: ',"campaign":"other"' },
      { id: 'm2' },
      { domain: 2 },
    ]
    for (const change of others) {
      using scene = openScene()
      const rows = [first, { ...first, ...change }]
      const name = JSON.stringify(change)
      assert.deepEqual(scene.store(...rows).outcomes, ['stored', 'stored'], name)
      assert.equal(scene.count('message'), 2, name)
      assert.deepEqual(scene.store(...rows).outcomes, ['duplicate', 'duplicate'], name)
      assert.equal(scene.count('message'), 2, name)
    }
  })

  test('do not make two events one', () => {
    const first = rowOf('m1', { response_code: 550, response_content: 'no' })
    const others: Partial<EventRow>[] = [
      { secondOfDay: first.secondOfDay + 1 },
      { type: typeNumber('Delivery') },
      { responseCode: 551 },
      { content: 'other' },
      { circumstance: ',"peer_name":"other"' },
    ]
    using scene = openScene()
    const rows = [first, ...others.map((change) => ({ ...first, ...change }))]
    assert.ok(scene.store(...rows).outcomes.every((outcome) => outcome === 'stored'))
    assert.deepEqual([scene.count('event'), scene.count('message')], [rows.length, 1])
    assert.ok(scene.store(...rows).outcomes.every((outcome) => outcome === 'duplicate'))
    assert.equal(scene.count('event'), rows.length)
  })
})

test('a commit says what it has added: by domain and type, by code but for the common one, and new messages', () => {
  using scene = openScene()
  const bounce = typeNumber('Bounce')
  const { commit } = scene.store(
    rowOf('m1', { response_code: 550 }),
    rowOf('m1', { response_code: 550, timestamp: NOON + 1 }),
    rowOf('m2', { response_code: 250, type: 'Delivery' }),
    rowOf('m3', {}, 2),
  )
  assert.deepEqual([commit.arrivalBefore, commit.arrival, commit.messageIds.length], [0, 4, 3])
  assert.deepEqual(commit.counts, [
    [1, bounce, 2],
    [1, typeNumber('Delivery'), 1],
    [2, bounce, 1],
  ])
  assert.deepEqual(commit.codes, [[1, 550, 2]])
  const { commit: next } = scene.store(rowOf('m1', { response_code: 550 }), rowOf('m1', { timestamp: NOON + 7200 }))
  assert.deepEqual([next.arrivalBefore, next.arrival, next.messageIds, next.counts], [4, 5, [], [[1, bounce, 1]]])
  assert.deepEqual(scene.reader.allArrays('SELECT domain, hour, count FROM event_per_hour WHERE type = ?', bounce), [
    [1, 12, 2],
    [1, 14, 1],
    [2, 12, 1],
  ])
  assert.equal(scene.reader.number('SELECT sum(count) FROM sending_per_hour'), 5)
  // Of an unknown origin.
  scene.store({ ...rowOf('m4'), origin: '' })
  assert.equal(scene.reader.number('SELECT sum(count) FROM event_per_hour'), 6)
  assert.equal(scene.reader.number('SELECT sum(count) FROM sending_per_hour'), 5)
})

test('after a rollback everything is stored again, with all that belongs to it', () => {
  using scene = openScene()
  const { writer, reader } = scene
  const row = rowOf('m1', { from: 'f@a.test', provider_name: 'Gmail' })
  writer.begin()
  assert.equal(writer.write(row), 'stored')
  writer.finish(0)
  assert.ok(writer.pending().rows >= 1)
  writer.rollback()
  writer.rollback()
  assert.deepEqual([scene.count('event'), scene.count('counter')], [0, 0])
  const { commit } = scene.store(row)
  assert.deepEqual([commit.arrivalBefore, commit.arrival, commit.messageIds.length], [0, 1, 1])
  const sql = `SELECT count(*) FROM event e JOIN circumstance c ON c.key = e.circumstance JOIN origin o ON o.key = e.origin
    JOIN message m ON m.key & ((1 << 28) - 1) = e.message & ((1 << 28) - 1) JOIN mailing l ON l.key = m.mailing`
  assert.equal(reader.number(sql), 1)
  assert.deepEqual(scene.store(row).outcomes, ['duplicate'])
})

test('a file says which domain each of its numbers means, also after a rollback', () => {
  using scene = openScene()
  const db = scene.files.openForWriting(DAY, 1000)
  const reserved: number[] = []
  const installation: Pick<Installation, 'findDomain' | 'reserve'> = {
    findDomain: (number) => (number === 1 ? { number, id: 'd1', name: 'a.test' } : undefined),
    reserve: (number) => void reserved.push(number),
  }
  const writer = new DayWriter(DAY, db, new DomainClaims(db, installation))
  writer.begin()
  writer.write(rowOf('m1'))
  writer.finish(0)
  writer.rollback()
  scene.storeWith(writer, [rowOf('m1'), rowOf('m2', {}, 2)])
  scene.storeWith(writer, [rowOf('m3')])
  assert.deepEqual(
    listClaims(scene.reader).map(({ number, id, name }) => [number, id, name]),
    [
      [1, 'd1', 'a.test'],
      [2, '', ''],
    ],
  )
  assert.deepEqual(reserved, [2])
  writer.close()
})

test('what is pending includes the rows of the text index', () => {
  using scene = openScene()
  const { writer } = scene
  writer.begin()
  for (let index = 0; index < 1200; index++) writer.write(rowOf(`m${index}`))
  writer.finish(0)
  const { rows, pages } = writer.pending()
  assert.ok(rows > 1200 && pages > 10, `${rows} rows, ${pages} pages`)
  writer.commit()
})

test('messages that another writer has stored meanwhile are known', () => {
  using scene = openScene()
  const other = new DayWriter(DAY, scene.files.openForWriting(DAY, 1000))
  scene.store(rowOf('m1'))
  assert.deepEqual(scene.storeWith(other, [rowOf('m1'), rowOf('m2')]).outcomes, ['duplicate', 'stored'])
  assert.deepEqual(scene.store(rowOf('m2'), rowOf('m3')).outcomes, ['duplicate', 'stored'])
  other.close()
  assert.deepEqual([scene.count('message'), scene.writer.arrival], [3, 3])
})

test('nothing is stored in a day that is closed, and nothing in it changes', () => {
  using scene = openScene()
  scene.store(rowOf('m1'))
  scene.writer.erase((db) => db.run('UPDATE day SET closed = 1'))
  const { outcomes, commit } = scene.store(rowOf('m2'))
  assert.deepEqual([outcomes, commit.counts, commit.arrival], [['expired'], [], 1])
  assert.deepEqual([scene.count('event'), scene.count('arrival_batch')], [1, 1])
})

test('a batch is stamped with a time that does not go back', () => {
  using scene = openScene()
  for (const [index, nowMs] of [5000, 4000, 6000].entries()) scene.storeWith(scene.writer, [rowOf(`m${index}`)], nowMs)
  assert.deepEqual(scene.reader.allArrays('SELECT first, stored_at_ms FROM arrival_batch'), [
    [1, 5000],
    [2, 5000],
    [3, 6000],
  ])
})

test('the ids of the messages are read once, as long as nobody else writes', () => {
  using scene = openScene()
  scene.store(rowOf('m1'))
  const db = new ExplainingDatabase(scene.files.path(DAY))
  const writer = new DayWriter(DAY, db)
  const loads = () => db.plans.filter(({ sql }) => sql.includes('SELECT identity FROM message')).length
  for (const id of ['m2', 'm3']) scene.storeWith(writer, [rowOf(id)])
  assert.equal(loads(), 1)
  // New messages are not looked for.
  assert.equal(db.plans.filter(({ sql }) => sql.includes('WHERE identity = ?')).length, 0)
  assert.deepEqual(scene.storeWith(writer, [rowOf('m2')]).outcomes, ['duplicate'])
  scene.store(rowOf('m4'))
  scene.storeWith(writer, [rowOf('m5')])
  assert.equal(loads(), 2)
  writer.close()
})

test('of a day with more than 500,000 messages, every message is looked for instead', () => {
  for (const [messages, isRead] of [
    [500_000, true],
    [500_001, false],
  ] as const) {
    using scene = openScene()
    const db = new ExplainingDatabase(scene.files.path(DAY))
    db.run('UPDATE day SET message = ?, indexed = ?', messages, messages)
    const writer = new DayWriter(DAY, db)
    assert.deepEqual(scene.storeWith(writer, [rowOf('m1')]).outcomes, ['stored'])
    const isAsked = (text: string) => db.plans.some(({ sql }) => sql.includes(text))
    assert.deepEqual([isAsked('SELECT identity FROM message'), isAsked('WHERE identity = ?')], [isRead, !isRead])
    writer.close()
  }
})

test('a message without missing and escaped fields is marked as such', () => {
  using scene = openScene()
  const complete = { sender: 's@a.test', subject: 's', service_message_id: 'i', size: 5, from: 'f@a.test' }
  const fields = ['sender', 'subject', 'service_message_id', 'size'] as const
  const without = fields.map((name) => ({ ...complete, [name]: undefined }))
  const all = [complete, ...without, { ...complete, subject: 'a "b"' }]
  scene.store(...all.map((own, index) => rowOf(`m${index}`, own as Partial<EmailEvent>)))
  const marks = scene.reader.allArrays<[number]>('SELECT plain FROM message ORDER BY id').map(([plain]) => plain)
  assert.deepEqual(
    marks.map((plain) => plain === 3),
    [true, false, false, false, false, false],
  )
})

test('a step of compaction that fails is not repeated before the next commit', () => {
  using scene = openScene()
  let isFailing = true
  class FailingDatabase extends Database {
    override transaction<T>(work: () => T): T {
      if (isFailing) throw new Error('broken')
      return super.transaction(work)
    }
  }
  const writer = new DayWriter(DAY, new FailingDatabase(scene.files.path(DAY)))
  const later = () => performance.now() + 6000
  scene.storeWith(writer, [rowOf('m1')])
  assert.throws(() => writer.compact(later()), /broken/)
  assert.equal(writer.compact(later()), undefined)
  isFailing = false
  assert.equal(writer.isCompacted, false)
  scene.storeWith(writer, [rowOf('m2')])
  assert.equal(writer.compact(later()), undefined)
  assert.equal(writer.isCompacted, true)
  writer.close()
})

test('what was written in the transaction is not remembered after a rollback', () => {
  using scene = openScene()
  const { writer } = scene
  const origins = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...rowOf(`m${index}`), origin: `,"sending_address":"${index}"` }))
  writer.begin()
  for (const row of origins(3)) writer.write(row)
  writer.finish(0)
  writer.rollback()
  assert.equal(writer.isCompacted, true)
  scene.store(...origins(1))
  const counted = `SELECT count(*) FROM sending_per_hour s JOIN origin o ON o.key = s.origin`
  assert.deepEqual([scene.count('origin'), scene.reader.number(counted)], [1, 1])
})

test('compaction waits until a day is idle, and is done once after each commit', () => {
  using scene = openScene()
  const { writer } = scene
  const later = () => performance.now() + 6000
  assert.equal(writer.compact(later()), undefined)
  scene.store(rowOf('m1'))
  const waitMs = writer.compact(performance.now()) ?? 0
  assert.ok(waitMs > 1000 && waitMs <= 5000, `${waitMs} ms`)
  assert.equal(writer.compact(later()), undefined)
  // Nothing is left to wait for.
  assert.equal(writer.compact(performance.now()), undefined)
  writer.resumeCompaction()
  assert.ok((writer.compact(performance.now()) ?? 0) > 0)
})

test('closing empties the log beside the file, although it is being read; a damaged file is left as it is', () => {
  using scene = openScene()
  const walBytes = () => statSync(`${scene.files.path(DAY)}-wal`).size
  const open = () => new DayWriter(DAY, scene.files.openForWriting(DAY, 1000))
  const [damaged, sound] = [open(), open()]
  scene.storeWith(damaged, [rowOf('m1')])
  assert.equal(scene.count('event'), 1)
  damaged.probe()
  damaged.discard()
  assert.ok(walBytes() > 0)
  sound.close()
  assert.equal(walBytes(), 0)
})
