/** A restore verifies everything, overwrites nothing, and is all or nothing wherever it is interrupted. */
import assert from 'node:assert/strict'
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type BackupScene, dayOf, listIds, openBackupScene } from '../../../../test/harness/storage/backup-scene.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'
import { checkBackup, restoreBackup } from './restore.ts'

let scene: BackupScene
let backup: string
let temporary: ReturnType<typeof openTemporaryFolder>
let copies = 0

before(async () => {
  scene = await openBackupScene()
  temporary = openTemporaryFolder()
  await scene.store(['m0'], 1)
  await scene.store(['m1', 'm2'])
  ;({ folder: backup } = await scene.backUp())
})
after(async () => {
  await scene[Symbol.asyncDispose]()
  temporary[Symbol.dispose]()
})

const fresh = (name: string) => join(temporary.path, `${name}-${++copies}`)

function copyOfBackup(): string {
  const copy = fresh('backup')
  cpSync(backup, copy, { recursive: true })
  return copy
}

const openAt = (dataDir: string) =>
  openSqliteStorage({ dataDir, clock: () => scene.nowMs, serviceMessageIdField: 'service_message_id' })

async function idsIn(dataDir: string): Promise<readonly string[]> {
  const storage = await openAt(dataDir)
  try {
    return await listIds(storage)
  } finally {
    await storage.close()
  }
}

test('restores into a new or an empty folder, for its owner only, and leaves the backup as it was', async () => {
  const empty = fresh('data')
  mkdirSync(empty)
  for (const folder of [empty, fresh('data'), join(fresh('data'), 'deeper')]) {
    restoreBackup(scene.folder, folder)
    assert.deepEqual(await idsIn(folder), ['m0', 'm1', 'm2'])
    for (const name of ['events', 'control.db']) assert.equal(statSync(join(folder, name)).mode & 0o077, 0)
  }
  checkBackup(backup)
})

const day = () => `events/${dayOf(0)}.db`

const DAMAGE: Readonly<Record<string, readonly [(copy: string) => void, RegExp]>> = {
  'a flipped bit': [
    (copy) => writeFileSync(join(copy, day()), readFileSync(join(copy, day())).fill(1, 9000, 9001)),
    /is damaged: its content does not match the SHA-256 in the manifest/,
  ],
  'a file cut short': [(copy) => truncateSync(join(copy, day()), 4096), /it has 4096 bytes instead of \d+/],
  'a missing file': [(copy) => rmSync(join(copy, 'control.db')), /control\.db is damaged: it is missing/],
  'no manifest': [(copy) => rmSync(join(copy, 'backup.json')), /contains no complete backup/],
  'a manifest cut short': [(copy) => truncateSync(join(copy, 'backup.json'), 200), /backup\.json is damaged: /],
  'a manifest of a newer version': [
    (copy) => edit(copy, (text) => text.replace('"format": 1', '"format": 2')),
    /newer version of Envelog \(format 2, this version knows 1\)/,
  ],
  'a path out of the folder': [
    (copy) => edit(copy, (text) => text.replace('"control.db"', '"../control.db"')),
    /backup\.json is damaged: fields are missing or invalid/,
  ],
}

function edit(copy: string, change: (text: string) => string): void {
  const path = join(copy, 'backup.json')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

for (const [name, [damage, words]] of Object.entries(DAMAGE)) {
  test(`a backup with ${name} is refused, and nothing is left in the folder`, () => {
    const copy = copyOfBackup()
    damage(copy)
    const folder = fresh('data')
    assert.throws(() => restoreBackup(copy, folder), { name: 'AppError', message: words })
    assert.throws(() => checkBackup(copy), { name: 'AppError', message: words })
    const left = existsSync(folder) ? readdirSync(folder).filter((file) => !file.startsWith('server.lock')) : []
    assert.deepEqual(left, [])
    // The folder can be used at once.
    restoreBackup(backup, folder)
  })
}

test('the newest complete backup of a folder is restored: not an unfinished one, nor one with a damaged manifest', async () => {
  const folder = fresh('backups')
  const [first, damaged, partial] = [
    '2026-01-01T00-00-00Z',
    '2026-01-02T00-00-00Z',
    '2026-01-03T00-00-00Z.partial',
  ].map((name) => join(folder, name)) as [string, string, string]
  for (const copy of [first, damaged, partial]) cpSync(backup, copy, { recursive: true })
  writeFileSync(join(damaged, 'backup.json'), '{}')
  rmSync(join(partial, 'backup.json'))
  assert.equal(checkBackup(folder).backup, first)
  assert.throws(() => checkBackup(partial), { code: 'conflict', message: /is an unfinished backup/ })
  assert.throws(() => checkBackup(fresh('nowhere')), { code: 'not_found' })
})

test('a folder with anything in it is refused, as is that of a running server and a file', async () => {
  const used = fresh('data')
  mkdirSync(used)
  writeFileSync(join(used, 'notes.txt'), 'mine')
  const { mtimeMs } = statSync(used)
  const file = fresh('file')
  writeFileSync(file, '')
  for (const folder of [used, file, scene.dataDir]) {
    assert.throws(() => restoreBackup(backup, folder), { code: 'conflict', message: /is not empty|is a file/ })
  }
  assert.deepEqual([readdirSync(used), statSync(used).mtimeMs], [['notes.txt'], mtimeMs])
  assert.deepEqual(await listIds(scene.storage), ['m0', 'm1', 'm2'])
})

test('a restore that was killed at any point: no server starts, and the same command completes it', async () => {
  const whole = fresh('data')
  restoreBackup(backup, whole)
  const names = ['events', 'control.db']
  for (let moved = -1; moved <= names.length; moved++) {
    const folder = fresh('data')
    const draft = join(folder, 'restore.partial')
    cpSync(whole, draft, { recursive: true })
    // While it was written, or while its files were moved.
    if (moved === -1) truncateSync(join(draft, day()), 4096)
    else writeFileSync(join(draft, 'verified'), backup)
    for (const name of names.slice(0, Math.max(moved, 0))) renameSync(join(draft, name), join(folder, name))
    await assert.rejects(openAt(folder), { code: 'conflict', message: /The restore into .* was interrupted/ })
    if (moved >= 0) {
      const other = copyOfBackup()
      assert.throws(() => restoreBackup(other, folder), { code: 'conflict', message: /An interrupted restore of / })
    }
    restoreBackup(backup, folder)
    assert.deepEqual(await idsIn(folder), ['m0', 'm1', 'm2'])
    assert(!readdirSync(folder).some((name) => name.startsWith('restore')))
  }
})

/** Changes of names, and what was made durable, in order. */
function record(work: () => void): readonly string[] {
  const { openSync, fsyncSync, renameSync: rename, writeFileSync: write } = fs
  const opened = new Map<number, string>()
  const done: string[] = []
  Object.assign(fs, {
    openSync(...values: Parameters<typeof openSync>) {
      const file = openSync(...values)
      opened.set(file, String(values[0]))
      return file
    },
    fsyncSync(file: number) {
      done.push(`sync ${opened.get(file)}`)
      fsyncSync(file)
    },
    renameSync(from: string, to: string) {
      done.push(`rename ${from} ${to}`)
      rename(from, to)
    },
    writeFileSync(path: string, content: string, options: { readonly flush?: boolean }) {
      done.push(`write ${path}${options.flush ? ' durably' : ''}`)
      write(path, content, options)
    },
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, { openSync, fsyncSync, renameSync: rename, writeFileSync: write })
    syncBuiltinESMExports()
  }
  return done
}

test('every step is durable before the next, and control.db is the last to be moved', () => {
  const folder = fresh('data')
  const steps = record(() => restoreBackup(backup, folder))
  const own = steps.map((step) => step.replaceAll(`${folder}/`, '').replaceAll(folder, '.'))
  assert.deepEqual(own.slice(-10), [
    'sync restore.partial',
    'sync restore.partial/events',
    'write restore.partial/verified durably',
    'sync restore.partial/verified',
    'sync restore.partial',
    'rename restore.partial/events events',
    'rename restore.partial/control.db control.db',
    'sync .',
    'rename restore.partial restore.done',
    'sync .',
  ])
})

test('progress is the sum of what was read, up to all of it', () => {
  const bytes: number[] = []
  let total = 0
  const files = new Set<string>()
  const { manifest } = checkBackup(backup, (progress) => {
    bytes.push(progress.bytes)
    total = progress.bytesTotal
    files.add(progress.file)
  })
  const all = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  assert.deepEqual([bytes.at(-1), total, files.size], [all, all, manifest.files.length])
  assert.deepEqual(
    bytes,
    bytes.toSorted((a, b) => a - b),
  )
  const restored: number[] = []
  restoreBackup(backup, fresh('data'), (progress) => restored.push(progress.bytes))
  assert.equal(restored.at(-1), all)
})

test('a server does not start in a backup', async () => {
  await assert.rejects(openAt(copyOfBackup()), { code: 'conflict', message: /is a backup.*Restore it first/ })
})
