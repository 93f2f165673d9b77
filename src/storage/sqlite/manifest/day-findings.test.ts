/** What the comparison of the event files with control.db finds, and what follows from it, without threads. */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { acceptDay, checkAtStart, checkDays, examineWhole, openDataFolder, takeBackDay } from './check-days.ts'

const [FIRST, SECOND, THIRD] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const
const NOW_MS = 1_772_366_400_000

function openScene() {
  const folder = openTemporaryFolder()
  const control = openControlDatabase(folder.path)
  const data = openDataFolder(folder.path, control)
  const { files, troubles } = data
  return {
    ...data,
    data,
    folder: folder.path,
    /** An event of domain 1 for each id. */
    store(day: Day, ...ids: readonly string[]) {
      const writers = new DayWriters(files, () => false)
      const rows = ids.map((id) => {
        const timestamp = Date.parse(`${day}T12:00:00Z`) / 1000
        const event = { id, timestamp, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
        return toEventRow({ domainNumber: 1, event })
      })
      const { commits } = writers.store([rows], NOW_MS)
      writers.close()
      return commits
    },
    edit(day: Day, sql: string) {
      using db = new Database(files.path(day))
      db.execute(sql)
    },
    start: () => checkAtStart(data, NOW_MS),
    check: () => checkDays(data, NOW_MS),
    accept: (day: Day) => acceptDay(data, day, NOW_MS),
    kinds: () => troubles.list().map(({ day, kind }) => [day, kind]),
    [Symbol.dispose]() {
      control.close()
      folder[Symbol.dispose]()
    },
  }
}

const OF_ANOTHER = "UPDATE identity SET installation = 'another one'"
/** As version 2 had it, without saying whose it is. */
const UNIDENTIFIED = `
  DROP TABLE origin; DROP TABLE sending_per_hour;
  ALTER TABLE event DROP COLUMN origin; ALTER TABLE event DROP COLUMN retry_after;
  DROP TABLE identity; DROP TABLE domain_claim; DELETE FROM migration WHERE number > 2; PRAGMA user_version = 2`

describe('at the start', () => {
  test('a day that control.db does not list is worth a line, unless it is empty or about to be removed', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    scene.store(SECOND, 'b')
    scene.files.openForWriting(THIRD, 1024).close()
    scene.control.execute(`DELETE FROM day_file; INSERT INTO folded_day (day) VALUES ('${SECOND}')`)
    const lines = scene.start()
    assert.deepEqual([lines.length, scene.kinds()], [1, []])
    assert.match(lines[0] ?? '', /^events\/2026-03-01\.db was not in the list/)
    assert.deepEqual([...scene.manifest.list().keys()].toSorted(), [FIRST, THIRD])
    assert.deepEqual(scene.start(), [])
  })

  test('a day of another installation is set aside as long as any other is ours, changed or not', () => {
    using scene = openScene()
    for (const day of [FIRST, SECOND, THIRD]) scene.store(day, 'a')
    scene.start()
    utimesSync(scene.files.path(FIRST), 1, 1)
    scene.edit(THIRD, OF_ANOTHER)
    scene.start()
    assert.deepEqual(scene.kinds(), [[THIRD, 'foreign']])
    // The folder may be one of an earlier version, whose days say nothing.
    scene.control.execute('UPDATE installation SET is_complete = 0')
    assert.throws(scene.start, { code: 'conflict', message: /different installations/ })
  })

  test('a day of an earlier version with domains that control.db does not know is refused once, and set aside later', () => {
    using scene = openScene()
    for (const day of [FIRST, SECOND]) scene.store(day, 'a')
    scene.edit(SECOND, `${UNIDENTIFIED}; UPDATE counter SET domain = 7`)
    assert.throws(scene.start, { code: 'conflict', message: /events\/2026-03-02\.db refers to domain 7/ })
    scene.control.execute('UPDATE installation SET is_complete = 1')
    scene.start()
    assert.deepEqual(scene.kinds(), [[SECOND, 'foreign']])
  })

  test('days of an earlier version are taken over once', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    scene.edit(FIRST, UNIDENTIFIED)
    scene.start()
    assert.deepEqual(scene.kinds(), [])
    using db = scene.files.openForReading(FIRST, 512)
    const { id } = scene.manifest.installation
    assert.deepEqual(db.allArrays('SELECT installation, day FROM identity'), [[id, FIRST]])
    assert.deepEqual(db.allArrays('SELECT number FROM domain_claim'), [[1]])
  })

  test('a file that is no day is not taken for one with events of a domain, if none was ever added', () => {
    const cases: readonly [what: string, change: (path: string) => void, kind: string][] = [
      ['empty', (path) => truncateSync(path, 0), 'emptied'],
      ['not a database', (path) => writeFileSync(path, 'x'.repeat(5000)), 'damaged'],
    ]
    for (const [what, change, kind] of cases) {
      using scene = openScene()
      scene.files.openForWriting(FIRST, 1024).close()
      change(scene.files.path(FIRST))
      scene.start()
      assert.deepEqual(scene.kinds(), [[FIRST, kind]], what)
    }
    for (const [sql, message] of [
      [OF_ANOTHER, /different installations/],
      ['PRAGMA user_version = 99', /written by a newer version/],
    ] as const) {
      using scene = openScene()
      scene.files.openForWriting(FIRST, 1024).close()
      scene.edit(FIRST, sql)
      assert.throws(scene.start, { code: 'conflict', message })
    }
  })
})

describe('while the server runs', () => {
  test('everything that was found is noted at once: days that are lost, foreign and gone again', () => {
    using scene = openScene()
    for (const day of [FIRST, SECOND, THIRD]) scene.store(day, 'a')
    scene.start()
    rmSync(scene.files.path(FIRST))
    scene.edit(SECOND, OF_ANOTHER)
    scene.check()
    assert.deepEqual(scene.kinds(), [
      [SECOND, 'foreign'],
      [FIRST, 'missing'],
    ])
    scene.control.execute(`DELETE FROM day_file WHERE day = '${FIRST}'`)
    rmSync(scene.files.path(SECOND))
    scene.edit(THIRD, OF_ANOTHER)
    scene.check()
    assert.deepEqual(scene.kinds(), [
      [THIRD, 'foreign'],
      [SECOND, 'missing'],
    ])
  })

  test('a file that is older than what was written meanwhile is set aside', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    const older = join(scene.folder, 'older')
    copyFileSync(scene.files.path(FIRST), older)
    scene.start()
    scene.manifest.learn(scene.store(FIRST, 'b', 'c'))
    renameSync(older, scene.files.path(FIRST))
    scene.check()
    assert.match(scene.troubles.find(FIRST)?.detail ?? '', /1 events .* at least 3, including/)
    assert.equal(examineWhole(scene.data, FIRST).verdict, 'emptied')
  })

  test('nothing is written if nothing has changed; a day that could not be read is left to the thread that reads it', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    scene.start()
    scene.troubles.note({ day: FIRST, kind: 'unreadable', sinceMs: 5, detail: 'EIO' })
    utimesSync(scene.files.path(FIRST), 5, 5)
    using other = new Database(scene.control.path)
    // Whoever wanted to write would wait for its end.
    other.transaction(scene.check)
    assert.deepEqual(scene.kinds(), [[FIRST, 'unreadable']])
  })

  test('a day with a domain that control.db does not know is set aside', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    scene.start()
    scene.edit(FIRST, "INSERT INTO domain_claim VALUES (2, 'x', 'b.test')")
    scene.check()
    assert.match(scene.troubles.find(FIRST)?.detail ?? '', /refers to domain 2, which control\.db does not know/)
    scene.manifest.installation.reserve(2)
    scene.check()
    assert.deepEqual(scene.kinds(), [])
  })

  test('a damaged day is read again only if its file changes', () => {
    using scene = openScene()
    scene.store(FIRST, 'a')
    scene.start()
    const path = scene.files.path(FIRST)
    const whole = readFileSync(path)
    writeFileSync(path, Buffer.from(whole).fill(7, whole.length - 4096))
    utimesSync(path, 5, 5)
    assert.equal(examineWhole(scene.data, FIRST).verdict, 'damaged')
    scene.troubles.note({ day: FIRST, kind: 'damaged', sinceMs: 5, detail: 'a page' })
    scene.check()
    writeFileSync(path, whole)
    utimesSync(path, 5, 5)
    scene.check()
    assert.deepEqual(scene.kinds(), [[FIRST, 'damaged']])
    utimesSync(path, 6, 6)
    scene.check()
    assert.deepEqual(scene.kinds(), [])
  })
})

describe('a day that is accepted', () => {
  test('is forgotten if it is missing or empty, with what lies beside it', () => {
    using scene = openScene()
    for (const day of [FIRST, SECOND, THIRD]) scene.store(day, 'a')
    scene.start()
    rmSync(scene.files.path(FIRST))
    truncateSync(scene.files.path(SECOND), 0)
    for (const day of [FIRST, SECOND]) writeFileSync(`${scene.files.path(day)}-wal`, 'left over')
    scene.check()
    for (const day of [FIRST, SECOND]) {
      scene.accept(day)
      assert.deepEqual([existsSync(scene.files.path(day)), existsSync(`${scene.files.path(day)}-wal`)], [false, false])
    }
    assert.deepEqual(scene.kinds(), [])
    scene.check()
    assert.deepEqual(scene.kinds(), [])
  })

  test('is examined as it is now: it may have been restored or moved away meanwhile', () => {
    using scene = openScene()
    for (const day of [FIRST, SECOND, THIRD]) scene.store(day, 'a')
    const copy = join(scene.folder, 'copy')
    copyFileSync(scene.files.path(FIRST), copy)
    scene.start()
    for (const day of [FIRST, SECOND]) scene.edit(day, OF_ANOTHER)
    scene.check()
    assert.throws(() => scene.accept(FIRST), { code: 'conflict' })
    copyFileSync(copy, scene.files.path(FIRST))
    scene.accept(FIRST)
    rmSync(scene.files.path(SECOND))
    scene.manifest.remove(SECOND)
    scene.accept(SECOND)
    assert.deepEqual(scene.kinds(), [])
    assert.deepEqual(scene.files.list(), [THIRD, FIRST])
    assert.throws(() => scene.accept(FIRST), { code: 'not_found' })
  })
})

test('a day that was repaired is used again, with as many events as it has', () => {
  using scene = openScene()
  scene.store(FIRST, 'a', 'b')
  scene.start()
  scene.manifest.set({ day: FIRST, events: 9, schemaVersion: 0, bytes: 0, modifiedMs: 0, inode: 0 })
  scene.troubles.note({ day: FIRST, kind: 'damaged', sinceMs: 5, detail: 'a page' })
  takeBackDay(scene.data, FIRST)
  assert.deepEqual([scene.manifest.list().get(FIRST)?.events, scene.kinds()], [2, []])
  scene.check()
  assert.deepEqual(scene.kinds(), [])
})

test('a day that control.db does not list may be empty', () => {
  using scene = openScene()
  scene.files.openForWriting(FIRST, 1024).close()
  scene.manifest.remove(FIRST)
  assert.deepEqual(examineWhole(scene.data, FIRST), { day: FIRST, verdict: 'own', events: 0, highestNumber: 0 })
})
