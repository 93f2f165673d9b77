import assert from 'node:assert/strict'
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import type { BackupProgress } from '../../../storage.ts'
import { Database } from '../../database/database.ts'
import { CopyTarget, databaseBytes } from './copy-target.ts'
import { TargetRoom } from './target-room.ts'

function openScene() {
  const folder = openTemporaryFolder()
  const [data, backup, earlier] = ['data', 'backup', 'earlier'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [data, backup, earlier]) mkdirSync(path)
  const reports: BackupProgress[] = []
  const target = new CopyTarget(backup, new TargetRoom(backup, data), (progress) => reports.push(progress))
  return {
    data,
    backup,
    earlier,
    target,
    /** Those since the last call. */
    take: () => reports.splice(0),
    write(path: string, bytes: number) {
      writeFileSync(join(data, path), Buffer.alloc(bytes, 'x'))
      return join(data, path)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('every file is reported when it is done, with the bytes so far and those expected, unless there are more', () => {
  using scene = openScene()
  const { target } = scene
  target.expect(70)
  target.expect(80)
  target.copyFile(scene.write('a', 100), 'tail/a')
  const done = scene.take().filter(({ isDone }) => isDone)
  assert.deepEqual(done, [{ file: 'tail/a', isDone: true, bytes: 100, bytesTotal: 150 }])
  target.copyFile(scene.write('b', 60), 'tail/b')
  assert.deepEqual(scene.take(), [{ file: 'tail/b', isDone: true, bytes: 160, bytesTotal: 160 }])
  assert.deepEqual(
    target.files.map(({ path, bytes, modified }) => [path, bytes, modified]),
    [
      ['tail/a', 100],
      ['tail/b', 60],
    ].map(([path, bytes]) => [
      path,
      bytes,
      statSync(join(scene.backup, String(path)), { bigint: true }).mtimeNs.toString(),
    ]),
  )
  assert.equal(statSync(join(scene.backup, 'tail')).mode & 0o777, 0o700)
})

test('a file that takes long is reported meanwhile, a few times in a second', () => {
  using scene = openScene()
  // In parts of a megabyte, which take much less time each.
  scene.target.copyFile(scene.write('a', 20 * 2 ** 20), 'tail/a')
  const [first, ...others] = scene.take()
  assert.deepEqual(first, { file: 'tail/a', isDone: false, bytes: 2 ** 20, bytesTotal: 2 ** 20 })
  assert.ok(others.length < 20)
  assert.equal(others.at(-1)?.isDone, true)
})

test('more than there is room for is refused at once', () => {
  using scene = openScene()
  assert.throws(() => scene.target.expect(2 ** 60), { code: 'storage_unavailable' })
})

test('a copy of a database becomes part of the backup with what is known of it; one that was discarded does not count', async () => {
  using scene = openScene()
  const { target } = scene
  const path = join(scene.data, 'a.db')
  using db = new Database(path)
  db.execute('CREATE TABLE a (b)')
  for (const name of ['a.db', 'b.db']) await target.copyDatabase(path, name)
  const { size } = statSync(join(scene.backup, 'a.db'))
  assert.equal(target.copiedBytes, 2 * size)
  target.add('a.db', { events: 5, state: 's' })
  assert.deepEqual(
    target.files.map(({ path, bytes, events, state }) => [path, bytes, events, state]),
    [['a.db', size, 5, 's']],
  )
  for (const suffix of ['-wal', '-shm']) writeFileSync(join(scene.backup, `b.db${suffix}`), '')
  target.discard('b.db')
  assert.equal(target.copiedBytes, size)
  for (const suffix of ['', '-wal', '-shm']) assert.ok(!existsSync(join(scene.backup, `b.db${suffix}`)))
})

test('a file of an earlier backup is shared as long as it is as it was written', () => {
  using scene = openScene()
  const { earlier, backup } = scene
  const { target } = scene
  writeFileSync(join(earlier, 'a.db'), 'content')
  const modifiedOf = () => statSync(join(earlier, 'a.db'), { bigint: true }).mtimeNs.toString()
  const file = { path: 'a.db', bytes: 7, sha256: 'hash', modified: modifiedOf() }
  assert.equal(target.share(earlier, { ...file, path: 'missing.db' }), false)
  assert.equal(target.share(earlier, { ...file, bytes: 8 }), false)
  assert.equal(target.share(earlier, { ...file, modified: '1' }), false)
  assert.deepEqual([target.files, scene.take()], [[], []])
  assert.equal(target.share(earlier, file), true)
  assert.deepEqual(target.files, [file])
  assert.deepEqual(scene.take(), [{ file: 'a.db', isDone: true, bytes: 0, bytesTotal: 0 }])
  assert.equal(statSync(join(backup, 'a.db')).ino, statSync(join(earlier, 'a.db')).ino)
  target.remove('a.db')
  target.remove('a.db')
  assert.deepEqual([target.files, existsSync(join(backup, 'a.db'))], [[], false])
  assert.equal(readFileSync(join(earlier, 'a.db'), 'utf8'), 'content')
  // No link can be made.
  linkSync(join(earlier, 'a.db'), join(backup, 'a.db'))
  assert.equal(target.share(earlier, file), false)
  assert.deepEqual(target.files, [])
  utimesSync(join(earlier, 'a.db'), 1, 1)
  assert.equal(target.share(earlier, file), false)
})

test('a database takes the room of its WAL as well', () => {
  using scene = openScene()
  const path = scene.write('a.db', 100)
  assert.equal(databaseBytes(path), 100)
  scene.write('a.db-wal', 20)
  assert.equal(databaseBytes(path), 120)
  assert.equal(databaseBytes(join(scene.data, 'missing')), 0)
})
