import assert from 'node:assert/strict'
import fs, { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { BackupFolder, finalNameOf, findBackup, openBackupFolder } from './backup-folder.ts'
import { MANIFEST_FILE, writeManifest } from './backup-manifest.ts'

const NOON_MS = Date.parse('2026-03-01T12:00:00Z')
const [FIRST, SECOND, THIRD] = ['2026-03-01T12-00-00Z', '2026-03-01T12-00-01Z', '2026-03-02T00-00-00Z'] as const

/** A folder with backups of these names, each with a manifest. */
function openFolder(...names: readonly string[]) {
  const folder = openTemporaryFolder()
  const add = (name: string, installation = 'own') => {
    mkdirSync(join(folder.path, name))
    const times = { startedAt: 'a', finishedAt: 'b' }
    const files = [{ path: 'control.db', bytes: 1, sha256: 'a'.repeat(64), modified: '1' }]
    writeManifest(join(folder.path, name), { installation, ...times, files, problems: [] })
  }
  for (const name of names) add(name)
  return {
    path: folder.path,
    backups: new BackupFolder(folder.path),
    add,
    names: () => readdirSync(folder.path).sort(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('backups are listed oldest first, without drafts, other folders and those without a manifest', () => {
  using folder = openFolder(
    THIRD,
    FIRST,
    `${SECOND}.partial`,
    'other',
    '2026-03-01T12-00-00Zx',
    'x2026-03-01T12-00-00Z',
  )
  mkdirSync(join(folder.path, SECOND))
  assert.deepEqual(
    folder.backups.list().map((path) => basename(path)),
    [FIRST, THIRD],
  )
  assert.equal(folder.backups.findNewest()?.folder, join(folder.path, THIRD))
  writeFileSync(join(folder.path, THIRD, MANIFEST_FILE), 'damaged')
  assert.equal(folder.backups.findNewest()?.folder, join(folder.path, FIRST))
  writeFileSync(join(folder.path, FIRST, MANIFEST_FILE), 'damaged')
  assert.equal(folder.backups.findNewest(), undefined)
})

/** With other functions of the file system. */
function withFs(changed: Partial<typeof fs>, work: () => void): void {
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, fs[name as keyof typeof fs]]))
  Object.assign(fs, changed)
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, before)
    syncBuiltinESMExports()
  }
}

test('in whatever order the disk lists them, the oldest is the first and the newest the last', () => {
  for (const names of [
    [FIRST, SECOND, THIRD],
    [THIRD, SECOND, FIRST],
  ]) {
    using folder = openFolder(...names)
    const listed = (() => names) as unknown as typeof fs.readdirSync
    withFs({ readdirSync: listed }, () => {
      assert.deepEqual(
        folder.backups.list().map((path) => basename(path)),
        [FIRST, SECOND, THIRD],
      )
      assert.equal(basename(folder.backups.createDraft(0)), '2026-03-02T00-00-01Z.partial')
    })
  }
})

test('a new backup is named after the time, and after all others, those that are not complete too', () => {
  const draftAfter = (nowMs: number, ...names: readonly string[]) => {
    using folder = openFolder(...names)
    const draft = folder.backups.createDraft(nowMs)
    assert.equal(statSync(draft).mode & 0o777, 0o700)
    return basename(draft)
  }
  assert.equal(draftAfter(NOON_MS), `${FIRST}.partial`)
  assert.equal(draftAfter(NOON_MS + 999, 'other', 'zzz'), `${FIRST}.partial`)
  assert.equal(draftAfter(NOON_MS, FIRST), `${SECOND}.partial`)
  assert.equal(draftAfter(NOON_MS, `${FIRST}.partial`), `${SECOND}.partial`)
  assert.equal(draftAfter(0, FIRST, '2026-02-01T00-00-00Z'), `${SECOND}.partial`)
  assert.equal(draftAfter(NOON_MS, '2026-02-01T00-00-00Z'), `${FIRST}.partial`)
})

test('a draft that is complete gets its name', () => {
  using folder = openFolder()
  const draft = folder.backups.createDraft(NOON_MS)
  assert.equal(finalNameOf(draft), join(folder.path, FIRST))
  const { openSync } = fs
  const opened: string[] = []
  const recording = ((path: string, flags: string) => {
    opened.push(path)
    return openSync(path, flags)
  }) as typeof openSync
  withFs({ openSync: recording }, () => {
    assert.equal(folder.backups.complete(draft), join(folder.path, FIRST))
  })
  assert.deepEqual(opened, [folder.path], 'made durable')
  assert.deepEqual(folder.names(), [FIRST])
})

test('the oldest backups of the installation are removed, and what interrupted ones have left', async () => {
  using folder = openFolder(FIRST, THIRD)
  folder.add(SECOND, 'another')
  mkdirSync(join(folder.path, '2026-01-01T00-00-00Z'))
  assert.deepEqual(await folder.backups.prune(2, 'own'), [])
  assert.deepEqual(await folder.backups.prune(3, 'own'), [])
  assert.deepEqual(await folder.backups.prune(1, 'own'), [join(folder.path, FIRST)])
  assert.deepEqual(folder.names(), ['2026-01-01T00-00-00Z', SECOND, THIRD])
  for (const name of [`${FIRST}.partial`, 'other.partial', '.partial'])
    mkdirSync(join(folder.path, name, 'events'), { recursive: true })
  await folder.backups.removeDrafts()
  assert.deepEqual(folder.names(), ['.partial', '2026-01-01T00-00-00Z', SECOND, THIRD, 'other.partial'].sort())
  writeFileSync(join(folder.path, THIRD, MANIFEST_FILE), 'damaged')
  assert.deepEqual(await folder.backups.prune(0, 'own'), [], 'whose it is cannot be told')
})

describe('a folder for backups', () => {
  test('is created if it is missing, and may be anywhere but in the data folder', () => {
    using folder = openTemporaryFolder()
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    symlinkSync(dataDir, join(folder.path, 'link'))
    for (const path of [dataDir, join(dataDir, 'backups'), join(dataDir, 'a/b'), join(folder.path, 'link/x')])
      assert.throws(() => openBackupFolder(dataDir, path), { code: 'conflict', message: /is inside the data folder/ })
    for (const name of ['backups', 'a/b', 'data2']) {
      assert.equal(openBackupFolder(dataDir, join(folder.path, name)).path, join(folder.path, name))
      assert.ok(existsSync(join(folder.path, name)))
    }
    assert.deepEqual(openBackupFolder(dataDir, join(folder.path, 'backups')).list(), [])
  })

  test('is neither a file, nor a backup, nor a data folder', () => {
    using folder = openFolder(FIRST)
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    writeFileSync(join(folder.path, 'file'), '')
    mkdirSync(join(folder.path, 'copy'))
    writeFileSync(join(folder.path, 'copy/control.db'), '')
    for (const [name, message] of [
      ['file', /is a file/],
      [FIRST, /is a backup/],
      ['copy', /is a data folder, or a copy/],
    ] as const) {
      assert.throws(() => openBackupFolder(dataDir, join(folder.path, name)), { code: 'conflict', message })
    }
  })
})

test('a backup is found by its own folder, or as the newest one of a folder of backups', () => {
  using folder = openFolder(FIRST, SECOND)
  assert.equal(findBackup(join(folder.path, FIRST)).folder, join(folder.path, FIRST))
  assert.equal(findBackup(folder.path).folder, join(folder.path, SECOND))
  writeFileSync(join(folder.path, 'file'), '')
  mkdirSync(join(folder.path, `${THIRD}.partial`))
  mkdirSync(join(folder.path, 'empty'))
  for (const [name, code, message] of [
    ['file', 'not_found', /There is no folder/],
    ['missing', 'not_found', /There is no folder/],
    [`${THIRD}.partial`, 'conflict', /is an unfinished backup/],
    ['empty', 'conflict', /contains no complete backup/],
  ] as const) {
    assert.throws(() => findBackup(join(folder.path, name)), { code, message })
  }
})
