/** Backups of a folder that is in use: complete, shared with earlier ones where nothing changed, and honest about damage. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { dayOf, inodeOf, openBackupScene } from '../../../../test/harness/storage/backup-scene.ts'
import { openSmallDisk } from '../../../../test/harness/storage/small-disk.ts'
import { Database } from '../database/database.ts'
import { checkBackup } from './restore.ts'

const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => `m${from + index}`)

/** Makes the file larger by about as many bytes, in one table that nothing else uses. */
function grow(path: string, bytes: number): void {
  using db = new Database(path)
  db.execute('CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)')
  db.transaction(() => {
    for (let grown = 0; grown < bytes; grown += 100_000) db.run('INSERT INTO ballast VALUES (randomblob(100000))')
  })
}

/** Many, because they are fast on temporary files in memory, and the copying thread gives way. */
const COMMITS_MAX = 30_000

test('a backup ends although every moment another connection commits to the day', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'])
  grow(scene.dayPath(0), 60_000_000)
  let isDone = false
  const running = scene.backUp().finally(() => {
    isDone = true
  })
  let commits = 0
  for (; !isDone && commits < COMMITS_MAX; commits++) await scene.store([`m${commits + 1}`])
  assert(isDone, `unfinished after ${commits} commits`)
  assert(commits > 5, 'there was no load')
  const restored = await scene.restoredIds((await running).folder)
  assert(restored.includes('m0'))
})

test('days that did not change are shared with the last backup; each backup is complete without the others', async () => {
  await using scene = await openBackupScene()
  await scene.store(ids(0, 10), 2)
  await scene.store(ids(10, 10), 1)
  await scene.settle()
  const first = await scene.backUp()
  assert.equal(first.copiedBytes, first.bytes)
  await scene.store(['late'], 1)
  const second = await scene.backUp()
  const [unchanged, changed] = [2, 1].map((daysAgo) => `events/${dayOf(daysAgo)}.db`)
  const isShared = (path = '') => inodeOf(join(first.folder, path)) === inodeOf(join(second.folder, path))
  assert.deepEqual([isShared(unchanged), isShared(changed)], [true, false])
  assert(second.copiedBytes < second.bytes)
  assert.deepEqual(await scene.restoredIds(first.folder), ids(0, 20).toSorted())
  rmSync(first.folder, { recursive: true })
  checkBackup(second.folder)
  assert.deepEqual(await scene.restoredIds(second.folder), ['late', ...ids(0, 20)].toSorted())
  // Of a backup that was deleted nothing can be shared.
  rmSync(second.folder, { recursive: true })
  assert.deepEqual(await scene.restoredIds((await scene.backUp()).folder), ['late', ...ids(0, 20)].toSorted())
})

test('a file of the last backup that was changed afterwards is copied again', async () => {
  await using scene = await openBackupScene()
  await scene.store(ids(0, 3), 1)
  await scene.settle()
  const first = await scene.backUp()
  const path = `events/${dayOf(1)}.db`
  writeFileSync(join(first.folder, path), readFileSync(join(first.folder, path)).fill(7, 5000, 5010))
  const second = await scene.backUp()
  assert.notEqual(inodeOf(join(first.folder, path)), inodeOf(join(second.folder, path)))
  assert.deepEqual(await scene.restoredIds(second.folder), ids(0, 3))
})

test('the oldest backups are removed, also if the clock was set back; leftovers of a killed one are, too', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'])
  const folders: string[] = []
  for (const nowMs of [Date.now(), 1000, Date.now() + 5000]) {
    scene.nowMs = nowMs
    folders.push((await scene.backUp()).folder)
  }
  assert.deepEqual(folders, folders.toSorted())
  const other = join(scene.folder, 'notes')
  const killed = join(scene.folder, '2020-01-01T00-00-00Z.partial')
  for (const path of [other, killed]) mkdirSync(path)
  scene.nowMs = 1000
  const { folder, removed } = await scene.backUp({ keep: 2 })
  assert.deepEqual(removed, folders.slice(0, 2))
  assert.deepEqual(
    readdirSync(scene.folder),
    [folders[2] ?? '', folder, other].map((path) => basename(path)),
  )
})

for (const damage of ['pages', 'header'] as const) {
  test(`a damaged day (${damage}) is named and its bytes are kept; the others are copied and nothing is removed`, async () => {
    await using scene = await openBackupScene()
    await scene.store(ids(0, 300), 2)
    await scene.store(ids(300, 5), 1)
    const before = await scene.backUp({ keep: 1 })
    await scene.storage.close()
    const path = scene.dayPath(2)
    const bytes = readFileSync(path)
    if (damage === 'pages') bytes.fill(0xee, 4096 * 3, 4096 * 12)
    if (damage === 'header') bytes.fill(0xee, 0, 100)
    writeFileSync(path, bytes)
    await scene.reopen()
    const { folder, problems, removed } = await scene.backUp({ keep: 1 })
    assert.equal(problems.length, 1)
    assert.equal(problems[0]?.day, dayOf(2))
    assert.deepEqual(removed, [])
    assert(existsSync(before.folder))
    assert.deepEqual(readFileSync(join(folder, problems[0]?.file ?? '')), readFileSync(path))
    const backups = checkBackup(folder)
    assert.deepEqual(backups.manifest.problems, problems)
    await scene.withRestored(folder, async (storage, dataDir) => {
      assert.deepEqual(readFileSync(join(dataDir, 'events', `${dayOf(2)}.db`)), readFileSync(path))
      assert.equal((await storage.log.append([])).stored, 0)
    })
  })
}

test('a day that is known and has no file is named', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'], 1)
  await scene.store(['m1'])
  await scene.storage.close()
  {
    using control = new Database(join(scene.dataDir, 'control.db'))
    control.run('INSERT OR REPLACE INTO day_file VALUES (?, 1, 2, 0, 0, 0)', dayOf(1))
  }
  renameSync(scene.dayPath(1), `${scene.dataDir}/lost`)
  await scene.reopen()
  const { problems } = await scene.backUp()
  assert.deepEqual(
    problems.map(({ day }) => day),
    [dayOf(1)],
  )
})

test('backups of two installations are not mixed, and a folder in use for data is refused', async () => {
  await using scene = await openBackupScene()
  await using other = await openBackupScene()
  const { folder } = await scene.backUp()
  await assert.rejects(other.backUp({ folder: scene.folder }), { code: 'conflict', message: /of another installation/ })
  await assert.rejects(scene.backUp({ folder }), { code: 'conflict', message: /is a backup: choose the folder/ })
  for (const path of [other.dataDir, scene.dataDir, join(scene.dataDir, 'below')]) {
    await assert.rejects(scene.backUp({ folder: path }), { code: 'conflict' })
  }
  assert.deepEqual(readdirSync(scene.folder), [basename(folder)])
  const foreign = join(scene.folder, '2020-01-01T00-00-00Z')
  renameSync((await other.backUp()).folder, foreign)
  assert.deepEqual((await scene.backUp({ keep: 1 })).removed, [folder])
  assert.ok(existsSync(foreign), 'that of another installation is not removed')
})

test('a full disk: a clear refusal, nothing of the new backup is left, and the earlier one is intact', async (t) => {
  using disk = openSmallDisk(40_000_000)
  if (!disk) return t.skip('needs permission to mount a file system')
  await using scene = await openBackupScene()
  await scene.store(['m0'], 1)
  const folder = join(disk.path, 'backups')
  const first = await scene.backUp({ folder })
  await scene.store(['m1'])
  grow(scene.dayPath(0), 30_000_000)
  // Filled while it is written: there was room at the beginning. The small day is done before the large one.
  const running = scene.backUp({ folder, onProgress: () => disk.fill() })
  await assert.rejects(running, { code: 'storage_unavailable', message: /full/ })
  disk.clear()
  grow(scene.dayPath(0), 30_000_000)
  const words = /disk of .* is full: the backup needs \d+ MB more, and \d+ MB are free/
  await assert.rejects(scene.backUp({ folder }), { code: 'storage_unavailable', message: words })
  assert.deepEqual(readdirSync(folder), [basename(first.folder)])
  assert.equal(scene.storage.health.writable, true)
  assert.equal(scene.storage.capabilities.backup?.last?.folder, first.folder)
  assert.deepEqual(await scene.restoredIds(folder), ['m0'])
})

test('closing ends a running backup, and nothing of it is left', async () => {
  await using scene = await openBackupScene()
  await scene.store(['m0'], 1)
  await scene.store(['m1'])
  grow(scene.dayPath(0), 60_000_000)
  const begun = Promise.withResolvers<void>()
  const running = scene.backUp({ onProgress: () => begun.resolve() })
  const refused = assert.rejects(running, {
    code: 'storage_unavailable',
    message: /was stopped: nothing of it was kept/,
  })
  await begun.promise
  await scene.reopen()
  await refused
  assert.deepEqual(readdirSync(scene.folder), [])
})

test('the last backup that succeeded is known after a restart', async () => {
  await using scene = await openBackupScene()
  const last = () => scene.storage.capabilities.backup?.last
  assert.equal(last(), undefined)
  const { folder, bytes } = await scene.backUp()
  const noted = last()
  assert.deepEqual(noted && { ...noted, durationMs: 0 }, {
    folder,
    finishedAtMs: scene.nowMs,
    durationMs: 0,
    bytes,
    problems: 0,
  })
  await assert.rejects(scene.backUp({ folder: scene.dataDir }))
  await scene.reopen()
  assert.deepEqual(last(), noted)
  writeFileSync(join(scene.dataDir, 'last-backup.json'), '{"finishedAtMs":')
  await scene.reopen()
  assert.equal(last(), undefined)
})
