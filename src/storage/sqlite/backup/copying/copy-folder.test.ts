/** What changes while a folder is copied is never lost between two of its files. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type BackupScene, dayOf, openBackupScene } from '../../../../../test/harness/storage/backup-scene.ts'
import { LOCAL } from '../../../../events/ingest/quarantine-room.ts'
import { Database } from '../../database/database.ts'
import { openCheckpoint } from '../../database/tail-checkpoint.ts'
import { copyFolder } from './copy-folder.ts'

/** Copies while nothing has the folder open, and calls `onFile` with the path of each file that is done. */
async function copyWhile(scene: BackupScene, onFile: (path: string) => void) {
  await scene.storage.close()
  const draft = join(scene.folder, 'draft')
  mkdirSync(draft)
  const task = { dataDir: scene.dataDir, installation: readInstallation(scene), draft }
  const copied = await copyFolder(task, Date.now, ({ file, isDone }) => isDone && onFile(file))
  await scene.reopen().catch(() => undefined)
  return { draft, ...copied }
}

function readInstallation({ dataDir }: BackupScene): string {
  using db = new Database(join(dataDir, 'control.db'))
  return db.get<{ id: string }>('SELECT id FROM installation')?.id ?? ''
}

const isDay = (path: string) => path.startsWith('events/')

test('a record that is replayed meanwhile is in the copy, in quarantine or as an event', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'])
  const records = ['one', 'two'].map((text) => ({
    connector: 'native',
    payload: Buffer.from(text),
    reason: 'unknown domain',
    source: LOCAL,
  }))
  await scene.storage.control.quarantine.add(records, scene.nowMs)
  const control = join(scene.dataDir, 'control.db')
  const { draft } = await copyWhile(scene, (path) => {
    using db = new Database(control)
    // The first one is replayed; the second one too, but it is rejected again.
    if (!isDay(path)) return
    db.execute(`CREATE TEMP TABLE rejected AS SELECT * FROM quarantine WHERE id = 2; DELETE FROM quarantine;
      INSERT INTO quarantine (id, fingerprint, connector, payload, reason, rejected_at_ms, times)
      SELECT 77, fingerprint, connector, payload, 'again', 5, 1 FROM rejected`)
  })
  assert.deepEqual(readdirSync(draft).toSorted(), ['control.db', 'events'])
  using copy = new Database(join(draft, 'control.db'), { readOnly: true })
  const rows = copy.allArrays('SELECT id, CAST(payload AS TEXT), reason FROM quarantine ORDER BY id')
  assert.deepEqual(rows, [
    [1, 'one', 'unknown domain'],
    [77, 'two', 'again'],
  ])
  const { records: counted } =
    copy.get<{ records: number }>("SELECT records FROM quarantine_use WHERE source_kind = '*'") ?? {}
  assert.equal(counted, 2)
})

test('opens and clicks and positions of tail are copied before the days that they lead to', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'])
  const tracking = join(scene.dataDir, 'tracking')
  mkdirSync(tracking)
  writeFileSync(join(tracking, '000000000001.settled'), 'one\n')
  writeFileSync(join(tracking, '000000000002.open'), 'two\n')
  writeFileSync(join(tracking, '000000000003.open.new'), 'draft')
  using checkpoint = openCheckpoint(join(scene.dataDir, 'tail', 'postfix-0123456789ab'), 'test')
  checkpoint.commit([['position', 1]])
  const { draft, files } = await copyWhile(scene, (path) => {
    // The next segment is settled under another name; then both are taken over and removed.
    if (path.endsWith('1.settled'))
      renameSync(join(tracking, '000000000002.open'), join(tracking, '000000000002.settled'))
    if (!isDay(path)) return
    rmSync(tracking, { recursive: true })
    checkpoint.commit([['position', 2]])
  })
  const paths = files.map(({ path }) => path)
  assert.deepEqual(paths, [
    'tracking/000000000001.settled',
    'tracking/000000000002.settled',
    'tail/postfix-0123456789ab',
    `events/${dayOf(0)}.db`,
    'control.db',
  ])
  assert.equal(readFileSync(join(draft, 'tracking/000000000002.settled'), 'utf8'), 'two\n')
  using copy = new Database(join(draft, 'tail/postfix-0123456789ab'), { readOnly: true })
  assert.equal(copy.get<{ value: string }>("SELECT value FROM state WHERE key = 'position'")?.value, '1')
})

test('a day that retention removes meanwhile is counted once: in the totals', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'], 2)
  await scene.store(['m1'], 1)
  await scene.store(['m2'], 0)
  const control = join(scene.dataDir, 'control.db')
  const fold = (daysAgo: number) => {
    using db = new Database(control)
    db.execute(`INSERT INTO folded_day VALUES ('${dayOf(daysAgo)}')`)
    rmSync(scene.dayPath(daysAgo))
  }
  // One that was copied already, and one that is next.
  const { draft, problems } = await copyWhile(scene, (path) => {
    if (path === `events/${dayOf(2)}.db`) for (const daysAgo of [2, 1]) fold(daysAgo)
  })
  assert.deepEqual(readdirSync(join(draft, 'events')), [`${dayOf(0)}.db`])
  assert.deepEqual(problems, [])
})

test('a domain that is added meanwhile, with events in a later day, is in the copy', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'], 1)
  await scene.store(['m1'])
  const control = join(scene.dataDir, 'control.db')
  const { draft } = await copyWhile(scene, (path) => {
    if (path !== `events/${dayOf(1)}.db`) return
    using db = new Database(control)
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'domain'; INSERT INTO sqlite_sequence VALUES ('domain', 41)")
    using day = new Database(scene.dayPath(0))
    day.execute('UPDATE counter SET domain = 41; UPDATE event SET domain = 41; UPDATE event_per_hour SET domain = 41')
  })
  using day = new Database(join(draft, 'events', `${dayOf(0)}.db`), { readOnly: true })
  using copy = new Database(join(draft, 'control.db'), { readOnly: true })
  assert.equal(day.number('SELECT max(domain) FROM event'), 41)
  assert.equal(copy.number("SELECT seq FROM sqlite_sequence WHERE name = 'domain'"), 41)
})

test('the list of days in the copy fits the days in it, whatever was stored meanwhile', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0', 'm1'], 1)
  const control = join(scene.dataDir, 'control.db')
  const { draft, problems } = await copyWhile(scene, (path) => {
    if (!isDay(path)) return
    using db = new Database(control)
    db.execute(`INSERT OR REPLACE INTO day_file VALUES ('${dayOf(1)}', 99, 2, 5, 5, 5), ('${dayOf(0)}', 7, 2, 5, 5, 5)`)
    writeFileSync(scene.dayPath(0), 'created meanwhile')
  })
  rmSync(scene.dayPath(0))
  using copy = new Database(join(draft, 'control.db'), { readOnly: true })
  const rows = copy.allArrays('SELECT day, events, bytes, inode FROM day_file')
  assert.deepEqual(rows, [[dayOf(1), 2, 0, 0]])
  assert.deepEqual(problems, [])
  assert(!existsSync(join(draft, 'events', `${dayOf(0)}.db`)))
})

test('a file that is not a day of Envelog, or not of this installation, is set aside', async () => {
  await using scene = await openBackupScene()
  for (const daysAgo of [3, 2, 1, 0]) await scene.store([`m${daysAgo}`], daysAgo)
  await scene.storage.close()
  writeFileSync(scene.dayPath(3), '')
  rmSync(scene.dayPath(2))
  {
    using foreign = new Database(scene.dayPath(2))
    foreign.execute('CREATE TABLE something (x)')
  }
  {
    using other = new Database(scene.dayPath(1))
    other.execute(`CREATE TABLE IF NOT EXISTS identity (installation TEXT, day TEXT); DELETE FROM identity;
      INSERT INTO identity VALUES ('other', '${dayOf(1)}')`)
  }
  const { files, problems } = await copyWhile(scene, () => undefined)
  assert.deepEqual(
    problems.map(({ day, file }) => [day, file]),
    [3, 2, 1].map((daysAgo) => [dayOf(daysAgo), `aside/${dayOf(daysAgo)}.db`]),
  )
  const days = files.map(({ path }) => path).filter(isDay)
  assert.deepEqual(days, [`events/${dayOf(0)}.db`])
})

test('counters that do not match the events are named, and the day is copied; erased events are taken into account', async () => {
  await using scene = await openBackupScene()
  for (const daysAgo of [1, 0]) await scene.store(['m0', 'm1'], daysAgo)
  await scene.storage.close()
  for (const daysAgo of [1, 0]) {
    using db = new Database(scene.dayPath(daysAgo))
    db.run('UPDATE counter SET count = 3')
    if (daysAgo === 0)
      db.execute('CREATE TABLE erased_per_hour (count INTEGER); INSERT INTO erased_per_hour VALUES (1)')
  }
  const { files, problems } = await copyWhile(scene, () => undefined)
  assert.deepEqual(problems, [
    { day: dayOf(1), problem: 'it has 2 events, and its counters say 3: run bin/envelog recount' },
  ])
  const days = files.map(({ path }) => path).filter(isDay)
  assert.deepEqual(
    days,
    [1, 0].map((daysAgo) => `events/${dayOf(daysAgo)}.db`),
  )
})
