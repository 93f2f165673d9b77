/** Days that are missing, emptied, foreign or newer are noticed and set aside, and never silently made anew. */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  addDomain,
  append,
  copyDay,
  NOON,
  openAt,
  shownFor,
  withStorage,
} from '../../../../test/harness/storage/data-folders.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Storage } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { Database } from '../database/database.ts'

const [TODAY, YESTERDAY] = ['2026-03-01', '2026-02-28'] as const
const file = (dataDir: string, day: string) => join(dataDir, 'events', `${day}.db`)
const kinds = ({ capabilities }: Storage) => (capabilities.troubles?.list() ?? []).map(({ day, kind }) => [day, kind])

/** Today and yesterday, with an event each, of one domain. */
async function twoDays(dataDir: string): Promise<void> {
  await withStorage(dataDir, async (storage) => {
    const number = await addDomain(storage, 'a.test')
    await append(storage, number, 0, 'today')
    await append(storage, number, 1, 'yesterday')
  })
}

function edit(path: string, sql: string): void {
  const db = new Database(path)
  db.execute(sql)
  db.close()
}

test('a missing day is reported, its events are refused, all others are served; restoring it ends that', async () => {
  using folder = openTemporaryFolder()
  using backup = openTemporaryFolder()
  await twoDays(folder.path)
  const copy = join(backup.path, 'copy.db')
  copyFileSync(file(folder.path, YESTERDAY), copy)
  rmSync(file(folder.path, YESTERDAY))
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'missing']])
    assert.deepEqual(await shownFor(storage, 1), ['today'])
    await assert.rejects(append(storage, 1, 1, 'late'), { code: 'storage_unavailable' })
    assert.equal((await append(storage, 1, 0, 'new')).stored, 1)
    const [finding] = (await storage.capabilities.recount?.run()) ?? []
    assert.match(finding ?? '', /^2026-02-28: .*events\/2026-02-28\.db is missing; it had at least 1 events/)
    assert.equal(existsSync(file(folder.path, YESTERDAY)), false)
  })
  copyFileSync(copy, file(folder.path, YESTERDAY))
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await shownFor(storage, 1), ['new', 'today', 'yesterday'])
  })
})

test('a day that is lost while the server runs is not made anew, and recount reports it', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  await withStorage(folder.path, async (storage) => {
    rmSync(file(folder.path, YESTERDAY))
    await assert.rejects(append(storage, 1, 1, 'late'), { code: 'storage_unavailable' })
    assert.equal(existsSync(file(folder.path, YESTERDAY)), false)
    rmSync(file(folder.path, TODAY))
    assert.equal((await storage.capabilities.recount?.run())?.length, 2)
    assert.deepEqual(kinds(storage), [
      [TODAY, 'missing'],
      [YESTERDAY, 'missing'],
    ])
  })
})

test('a missing day that is accepted begins anew, also beside the WAL of the lost file', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  rmSync(file(folder.path, YESTERDAY))
  writeFileSync(`${file(folder.path, YESTERDAY)}-wal`, 'left over')
  await withStorage(folder.path, async (storage) => {
    const { troubles } = storage.capabilities
    await assert.rejects(troubles?.accept(TODAY) ?? Promise.resolve(), { code: 'not_found' })
    await troubles?.accept(YESTERDAY)
    assert.deepEqual(kinds(storage), [])
    assert.equal((await append(storage, 1, 1, 'again')).stored, 1)
    assert.deepEqual(await shownFor(storage, 1), ['today', 'again'])
  })
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await storage.capabilities.recount?.run(), [])
  })
})

test('an empty file and one with fewer events than before are set aside; accepted, they are used as they are', async () => {
  using folder = openTemporaryFolder()
  using backup = openTemporaryFolder()
  await twoDays(folder.path)
  const older = join(backup.path, 'older.db')
  copyFileSync(file(folder.path, TODAY), older)
  await withStorage(folder.path, (storage) => append(storage, 1, 0, 'second', 'third'))
  copyFileSync(older, file(folder.path, TODAY))
  truncateSync(file(folder.path, YESTERDAY), 0)
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [
      [TODAY, 'emptied'],
      [YESTERDAY, 'emptied'],
    ])
    assert.match(
      storage.capabilities.troubles?.list()[0]?.detail ?? '',
      /is older than it was: 1 events have been stored in it, but there were at least 3, including/,
    )
    assert.deepEqual(await shownFor(storage, 1), [])
    for (const daysAgo of [0, 1]) {
      await assert.rejects(append(storage, 1, daysAgo, 'late'), { code: 'storage_unavailable' })
    }
    assert.equal(statSync(file(folder.path, YESTERDAY)).size, 0)
    for (const day of [TODAY, YESTERDAY]) await storage.capabilities.troubles?.accept(day)
    assert.deepEqual(await shownFor(storage, 1), ['today'])
    await append(storage, 1, 1, 'late')
  })
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'late'])
  })
})

test('a day of another installation and one under the name of another day are set aside until they are moved away', async () => {
  using folder = openTemporaryFolder()
  using other = openTemporaryFolder()
  await twoDays(folder.path)
  await withStorage(other.path, async (storage) => {
    await append(storage, await addDomain(storage, 'b.test'), 3, 'secret of b')
  })
  copyDay(other.path, '2026-02-26', folder.path)
  copyDay(folder.path, YESTERDAY, folder.path, '2026-02-27')
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [
      ['2026-02-27', 'foreign'],
      ['2026-02-26', 'foreign'],
    ])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
    await assert.rejects(append(storage, 1, 3, 'late'), { code: 'storage_unavailable' })
    await assert.rejects(storage.capabilities.troubles?.accept('2026-02-26') ?? Promise.resolve(), { code: 'conflict' })
    assert.equal((await storage.capabilities.recount?.run())?.length, 2)
    for (const day of ['2026-02-26', '2026-02-27']) rmSync(file(folder.path, day))
    assert.deepEqual(await storage.capabilities.recount?.run(), [])
    assert.deepEqual(kinds(storage), [])
    assert.equal((await append(storage, 1, 3, 'late')).stored, 1)
  })
})

test('two days that were swapped are both set aside', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  const today = readFileSync(file(folder.path, TODAY))
  copyDay(folder.path, YESTERDAY, folder.path, TODAY)
  writeFileSync(file(folder.path, YESTERDAY), today)
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [
      [TODAY, 'foreign'],
      [YESTERDAY, 'foreign'],
    ])
    assert.deepEqual(await shownFor(storage, 1), [])
  })
})

test('a day of a newer version is set aside; a folder of a newer version is refused in a sentence', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  edit(file(folder.path, YESTERDAY), 'PRAGMA user_version = 99')
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'newer']])
    assert.deepEqual(await shownFor(storage, 1), ['today'])
    await assert.rejects(append(storage, 1, 1, 'late'), { code: 'storage_unavailable' })
  })
  edit(file(folder.path, TODAY), 'PRAGMA user_version = 99')
  const newer = {
    code: 'conflict',
    message: /was written by a newer version of Envelog \(schema 99, this version knows \d+\)/,
  }
  await assert.rejects(openAt(folder.path), newer)
  for (const day of [TODAY, YESTERDAY]) rmSync(file(folder.path, day))
  edit(join(folder.path, 'control.db'), 'PRAGMA user_version = 99')
  await assert.rejects(openAt(folder.path), newer)
})

test('a day that says nothing about its origin is used only on the operator’s word', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  edit(
    file(folder.path, YESTERDAY),
    `DROP TABLE origin; DROP TABLE sending_per_hour;
     ALTER TABLE event DROP COLUMN origin; ALTER TABLE event DROP COLUMN retry_after;
     DROP TABLE identity; DROP TABLE domain_claim; DELETE FROM migration WHERE number > 2; PRAGMA user_version = 2`,
  )
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'foreign']])
    assert.deepEqual(await shownFor(storage, 1), ['today'])
    await storage.capabilities.troubles?.accept(YESTERDAY)
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
  })
  await withStorage(folder.path, async (storage) => assert.deepEqual(kinds(storage), []))
})

test('a database of something else is set aside and not touched', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  const path = file(folder.path, '2026-02-20')
  edit(path, 'CREATE TABLE mine (text)')
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [['2026-02-20', 'foreign']])
  })
  using db = new Database(path, { readOnly: true })
  assert.deepEqual(db.allArrays('SELECT name FROM sqlite_schema'), [['mine']])
})

test('a crash between creating a day and noting it leaves a day that is used, and missed from then on', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  edit(join(folder.path, 'control.db'), `DELETE FROM day_file WHERE day = '${YESTERDAY}'`)
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
  })
  rmSync(file(folder.path, YESTERDAY))
  await withStorage(folder.path, async (storage) => assert.deepEqual(kinds(storage), [[YESTERDAY, 'missing']]))
})

test('a day that control.db does not list is used if it is ours, and reported', async () => {
  using folder = openTemporaryFolder()
  using backup = openTemporaryFolder()
  const copy = join(backup.path, 'control.db')
  await withStorage(folder.path, async (storage) => append(storage, await addDomain(storage, 'a.test'), 1, 'yesterday'))
  copyFileSync(join(folder.path, 'control.db'), copy)
  await withStorage(folder.path, (storage) => append(storage, 1, 0, 'today'))
  copyFileSync(copy, join(folder.path, 'control.db'))
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(storage.notices, [
      'events/2026-03-01.db was not in the list of days of control.db. It is of this installation, and is used.',
    ])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
  })
  await withStorage(folder.path, async (storage) => assert.deepEqual(storage.notices, []))
})

test('a day that retention has removed is not missed, nor one whose removal was interrupted', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  const kept = readFileSync(file(folder.path, YESTERDAY))
  await withStorage(folder.path, async ({ log }) => {
    assert.deepEqual(await log.removeBefore(NOON * 1000), [YESTERDAY])
  })
  // As after a crash between the two steps.
  writeFileSync(file(folder.path, YESTERDAY), kept)
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await storage.log.removeBefore(0), [YESTERDAY])
  })
  await withStorage(folder.path, async (storage) => assert.deepEqual(kinds(storage), []))
})

test('a start opens only the days that have changed since the last one', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  // Nonsense that looks unchanged from outside: whoever opened it would notice.
  const path = file(folder.path, YESTERDAY)
  const { atimeMs, mtimeMs, size } = statSync(path)
  const control = openControlDatabase(folder.path)
  const write = () => {
    writeFileSync(path, Buffer.alloc(size, 1))
    utimesSync(path, atimeMs / 1000, mtimeMs / 1000)
    control.run('UPDATE day_file SET modified_ms = ? WHERE day = ?', statSync(path).mtimeMs, YESTERDAY)
  }
  write()
  control.close()
  await withStorage(folder.path, async (storage) => assert.deepEqual(kinds(storage), []))
  utimesSync(path, 1, 1)
  await withStorage(folder.path, async (storage) => assert.deepEqual(kinds(storage), [[YESTERDAY, 'damaged']]))
})

test('a damaged day stays set aside until its file is another one that is whole', async () => {
  using folder = openTemporaryFolder()
  await twoDays(folder.path)
  const path = file(folder.path, YESTERDAY)
  const whole = readFileSync(path)
  const broken = Buffer.from(whole)
  // Not in the first pages, which every start reads.
  broken.fill(7, whole.length - 4096)
  writeFileSync(path, broken)
  const note = (sql: string) => edit(join(folder.path, 'control.db'), sql)
  note(`INSERT INTO day_trouble VALUES ('${YESTERDAY}', 'damaged', 5, 'a page is damaged')`)
  for (const _ of [1, 2]) {
    await withStorage(folder.path, async (storage) => {
      assert.deepEqual(kinds(storage), [[YESTERDAY, 'damaged']])
      assert.equal(storage.capabilities.troubles?.list()[0]?.sinceMs, 5)
    })
  }
  writeFileSync(path, whole)
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
  })
})
