/** A day that is written again from its pages: whole if it was sound, and without what is damaged otherwise. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { Database } from '../database/database.ts'
import { readArrivalBatch } from '../days/arrival-batch.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import type { DayIdentity } from '../manifest/domain-claims.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { rebuildDay } from './rebuild-day.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const HOUR_OF_NOON = 12
const PAGE = 4096

const TABLES = [
  ['mailing', 'key'],
  ['circumstance', 'key'],
  ['origin', 'key'],
  ['message', 'key'],
  ['event', 'domain, position'],
  ['counter', 'domain, type'],
  ['event_per_hour', 'domain, hour, type, provider, classification'],
  ['sending_per_hour', 'domain, origin, hour, type, provider'],
] as const

/** Everything that the file says, but for how it is divided into batches, and how much of it is in the text index. */
function dump(db: Database) {
  const tables = TABLES.map(([table, order]) => [table, db.all(`SELECT * FROM ${table} ORDER BY ${order}`)])
  const batches = db.allArrays<[number, Uint8Array]>('SELECT first, events FROM arrival_batch ORDER BY first')
  const day = db.all('SELECT arrival, message, closed FROM day')
  return { tables, day, arrivals: batches.flatMap(([first, bytes]) => [...readArrivalBatch(first, bytes)]) }
}

function rowOf(id: string, domainNumber: number, fields: Partial<EmailEvent> = {}) {
  const own = { id, recipient: `${id}@b.test`, subject: `About ${id}`, domain_name: 'a.test' }
  const event = { ...own, timestamp: NOON, type: 'Bounce' as const, provider_name: 'Gmail', response_code: 550 }
  return toEventRow({
    domainNumber,
    event: { ...event, response_content: `no "${id}"`, ...fields },
    extension: { sending_address: `192.0.2.${domainNumber}`, next_attempt: NOON + 60 },
  })
}

/** All but the last have the same. */
function fromOf(index: number): Partial<EmailEvent> {
  return index < 9 ? { from: 'f@a.test' } : {}
}

/** Ten messages of two domains, each with a delivery and a bounce an hour later: twenty events. */
function openScene() {
  const folder = openTemporaryFolder()
  const [files, rebuilt] = ['damaged', 'rebuilt'].map((name) => new DayFiles(`${folder.path}/${name}`)) as [
    DayFiles,
    DayFiles,
  ]
  const writers = new DayWriters(files, () => false)
  const ids = Array.from({ length: 10 }, (_, index) => `m${index}`)
  const rows = ids.flatMap((id, index) => [
    rowOf(id, 1 + (index % 2), { type: 'Delivery', response_code: 250, ...fromOf(index) }),
    rowOf(id, 1 + (index % 2), { timestamp: NOON + 3600, ...fromOf(index) }),
  ])
  writers.store([rows.slice(0, 6)], 1_800_000_000_000)
  writers.store([rows.slice(6)], 1_800_000_001_000)
  writers.close()
  const path = files.path(DAY)
  return {
    path,
    store: (...more: readonly ReturnType<typeof rowOf>[]) => {
      const later = new DayWriters(files, () => false)
      later.store([more], 1_800_000_002_000)
      later.close()
    },
    change: (sql: string) => {
      using db = files.openForWriting(DAY, 1000)
      db.execute(sql)
    },
    read: () => {
      using db = files.openForReading(DAY, 1000)
      return dump(db)
    },
    rootOf: (table: string) => {
      using db = files.openForReading(DAY, 1000)
      return db.number('SELECT rootpage FROM sqlite_schema WHERE name = ?', table)
    },
    rebuild({
      events = 0,
      prepare = () => undefined,
      requireOwn = () => undefined,
      onProgress,
    }: {
      readonly events?: number
      /** What the new file has before anything is saved in it. */
      readonly prepare?: (db: Database) => void
      readonly requireOwn?: (db: Database, found: readonly DayIdentity[]) => void
      readonly onProgress?: (read: number, all: number) => void
    } = {}) {
      const create = () => {
        const db = rebuilt.openForWriting(DAY, 1000)
        prepare(db)
        return db
      }
      const { lostByHour, ...result } = rebuildDay(path, { create, events, requireOwn }, onProgress)
      const hours = lostByHour.flatMap((lost, hour) => (lost > 0 ? [[hour, lost]] : []))
      using db = rebuilt.openForReading(DAY, 1000)
      const extra = db.all("SELECT name FROM sqlite_schema WHERE name = 'extra'").length > 0
      return {
        ...result,
        hours,
        dump: dump(db),
        origins: db.number('SELECT count(*) FROM event WHERE origin IS NOT NULL'),
        indexed: db.number('SELECT indexed FROM day'),
        signatures: db.number('SELECT sum(length(numbers)) / 4 FROM message_signature'),
        extra: extra ? db.allArrays('SELECT * FROM extra') : undefined,
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const WHOLE = { saved: 20, lost: 0, damagedPages: 0, lostTables: [], hours: [] }

test('a sound day is written again as it was', () => {
  using scene = openScene()
  scene.change('UPDATE day SET closed = 1')
  const { dump: found, origins, extra, indexed, signatures, ...result } = scene.rebuild()
  assert.deepEqual(result, WHOLE)
  assert.deepEqual(found, scene.read())
  // Few messages are left to the writing side.
  assert.deepEqual([origins, extra, indexed, signatures], [20, undefined, 0, 0])
})

test('many messages are put into the text index in the order of their numbers', () => {
  using scene = openScene()
  scene.store(...Array.from({ length: 1500 }, (_, index) => rowOf(`m${100 + index}`, 1 + (index % 3))))
  const { indexed, signatures, dump: found } = scene.rebuild()
  assert.deepEqual([indexed, signatures], [1510, 1510])
  assert.deepEqual(found, scene.read())
})

test('tables of a later version are copied', () => {
  using scene = openScene()
  scene.change("CREATE TABLE extra (a INTEGER PRIMARY KEY, b TEXT) STRICT; INSERT INTO extra VALUES (1, 'x'), (7, 'y')")
  const expected = [
    [1, 'x'],
    [7, 'y'],
  ]
  const { extra, lostTables } = scene.rebuild()
  assert.deepEqual([extra, lostTables], [expected, []])
})

test('and take the place of what a new file has', () => {
  using scene = openScene()
  const create = 'CREATE TABLE extra (a INTEGER PRIMARY KEY, b TEXT) STRICT'
  scene.change(`${create}; INSERT INTO extra VALUES (1, 'x')`)
  const prepare = (db: Database) => db.execute(`${create}; INSERT INTO extra VALUES (2, 'y')`)
  assert.deepEqual(scene.rebuild({ prepare }).extra, [[1, 'x']])
})

/** Overwrites a part of a page. */
function overwrite(path: string, page: number, from: number): void {
  const file = readFileSync(path)
  file.fill(0xa5, (page - 1) * PAGE + from, page * PAGE)
  writeFileSync(path, file)
}

test('those that cannot be read are named, and the rest is saved', () => {
  using scene = openScene()
  scene.change("CREATE TABLE extra (a INTEGER PRIMARY KEY, b TEXT) STRICT; INSERT INTO extra VALUES (1, 'x')")
  overwrite(scene.path, scene.rootOf('extra'), 0)
  const { saved, lostTables } = scene.rebuild()
  assert.deepEqual([saved, lostTables], [20, ['extra']])
})

test('without a schema that can be read, everything is found by its looks', () => {
  using scene = openScene()
  const before = scene.read()
  overwrite(scene.path, 1, 100)
  const { saved, lost, lostTables, dump: found } = scene.rebuild()
  assert.deepEqual([saved, lost, lostTables], [20, 0, ['sqlite_schema']])
  assert.deepEqual(found, before)
})

test('the last message is known although the row that says so is not right', () => {
  using scene = openScene()
  scene.change('UPDATE day SET message = 0')
  assert.deepEqual(scene.rebuild().dump.day, [{ arrival: 20, message: 10, closed: 0 }].map(withoutPrototype))
})

function withoutPrototype(row: object): object {
  return Object.assign(Object.create(null) as object, row)
}

test('a new file that is not right replaces nothing', () => {
  using scene = openScene()
  const requireOwn = (db: Database) => void db.run('UPDATE counter SET count = count + 1')
  assert.throws(() => scene.rebuild({ requireOwn }), /the repaired file is not right/)
})

test('events that the day is known to have had are lost, in no hour', () => {
  using scene = openScene()
  const { lost, hours, dump: found } = scene.rebuild({ events: 23 })
  assert.deepEqual([lost, hours, found.arrivals.length], [3, [], 23])
})

test('who refuses what the file says about itself refuses the new file', () => {
  using scene = openScene()
  scene.change(`INSERT OR REPLACE INTO identity SELECT '${'a'.repeat(32)}', '2026-03-09'`)
  const seen: DayIdentity[] = []
  const refuse = (_: Database, found: readonly DayIdentity[]) => {
    seen.push(...found)
    throw new Error('not ours')
  }
  assert.throws(() => scene.rebuild({ requireOwn: refuse }), /not ours/)
  assert.ok(seen.some(({ installation, day }) => installation === 'a'.repeat(32) && day === '2026-03-09'))
})

describe('what is not what was stored is left out, with all that depends on it:', () => {
  const noon: readonly number[] = [HOUR_OF_NOON, 1]
  const later: readonly number[] = [HOUR_OF_NOON + 1, 1]
  const damages: readonly [name: string, sql: string, lost: number, hours: readonly (readonly number[])[]][] = [
    ['an event', "UPDATE event SET content = 'other' WHERE position IN (SELECT max(position) FROM event)", 1, [later]],
    ['a message', "UPDATE message SET subject = 'other' WHERE id = 'm3'", 2, [noon, later]],
    [
      'an arrival beyond what the file has room for',
      'UPDATE event SET position = position + 1000000 WHERE position = (SELECT min(position) FROM event)',
      1,
      [noon],
    ],
    ['a message that is missing', "DELETE FROM message WHERE id = 'm4'", 2, [noon, later]],
    [
      'a mailing',
      `UPDATE mailing SET members = replace(members, 'f@a.test', 'g@a.test')`,
      18,
      [
        [HOUR_OF_NOON, 9],
        [HOUR_OF_NOON + 1, 9],
      ],
    ],
    [
      'a circumstance',
      `UPDATE circumstance SET members = replace(members, 'Gmail', 'Other')`,
      20,
      [
        [HOUR_OF_NOON, 10],
        [HOUR_OF_NOON + 1, 10],
      ],
    ],
  ]
  for (const [name, sql, lost, hours] of damages) {
    test(name, () => {
      using scene = openScene()
      scene.change(sql)
      const { dump: found, ...result } = scene.rebuild()
      assert.deepEqual([result.saved, result.lost, result.hours], [20 - lost, lost, hours])
      assert.equal(found.arrivals.length, 20)
    })
  }

  test('but not an event whose origin is lost', () => {
    using scene = openScene()
    scene.change("PRAGMA foreign_keys = OFF; DELETE FROM origin WHERE address = '192.0.2.1'")
    const { saved, lost, origins } = scene.rebuild()
    assert.deepEqual([saved, lost, origins], [20, 0, 10])
  })
})

test('what was deleted does not come back from free pages', () => {
  using scene = openScene()
  const many = Array.from({ length: 400 }, (_, index) => rowOf(`gone${index}`, 3))
  scene.store(...many)
  scene.change('DELETE FROM event WHERE domain = 3; DELETE FROM message WHERE key >> 28 = 3')
  const { saved, dump: found } = scene.rebuild()
  assert.equal(saved, 20)
  assert.equal(found.arrivals.length, 420)
})

test('pages that are overwritten are counted, empty ones and the rests of long texts are not', () => {
  const withPage = (content: Buffer) => {
    using scene = openScene()
    const file = readFileSync(scene.path)
    writeFileSync(scene.path, Buffer.concat([file, content]))
    return scene.rebuild().damagedPages
  }
  assert.equal(withPage(Buffer.alloc(PAGE)), 0)
  assert.equal(withPage(Buffer.alloc(PAGE, 0xa5)), 1)
  assert.equal(withPage(Buffer.concat([Buffer.alloc(4), Buffer.alloc(PAGE - 4, 'text')])), 0)
  assert.equal(withPage(Buffer.concat([Buffer.alloc(4), Buffer.alloc(63, 'x'), Buffer.alloc(PAGE - 67, 1)])), 1)
  assert.equal(withPage(Buffer.concat([Buffer.alloc(4), Buffer.alloc(64, 'x'), Buffer.alloc(PAGE - 68, 1)])), 0)
})

test('progress is reported by pages, which are read three times', () => {
  using scene = openScene()
  scene.store(...Array.from({ length: 350 }, (_, index) => rowOf(`long${index}`, 1, { subject: 'x'.repeat(3900) })))
  const pages = readFileSync(scene.path).length / PAGE
  const progress: number[][] = []
  assert.equal(scene.rebuild({ onProgress: (read, all) => progress.push([read, all]) }).saved, 370)
  const expected = Array.from({ length: Math.floor((3 * pages) / 1000) }, (_, index) => [1000 * (index + 1), 3 * pages])
  assert.ok(expected.length > 0)
  assert.deepEqual(progress, expected)
})
