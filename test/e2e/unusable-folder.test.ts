/** Data folders that a server cannot use, and a disk that is full when it stops: a sentence, no stack, the right exit code. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { Database } from '../../src/storage/sqlite/database/database.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { StorageScene } from '../harness/log/storage-scene.ts'
import { openInstallation } from '../harness/programs/installation.ts'
import { LAUNCHER } from '../harness/programs/program-files.ts'
import { cleanEnvironment } from '../harness/programs/server-process.ts'
import { openSmallDisk } from '../harness/storage/small-disk.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
/** A user without any rights, on every Linux. */
const NOBODY = 65_534

interface Ended {
  readonly exitCode: number | null
  readonly stderr: string
}

/** Runs to its end: a server that starts nevertheless is stopped, and fails the test. */
async function run(dataDir: string, args: readonly string[], uid?: number): Promise<Ended> {
  using folder = openTemporaryFolder()
  chmodSync(folder.path, 0o755)
  const child = spawn(LAUNCHER, args, {
    cwd: folder.path,
    env: { ...cleanEnvironment(), ENVELOG_DATA_DIR: dataDir, ENVELOG_PORT: '0' },
    ...(uid !== undefined && { uid, gid: uid }),
  })
  child.stdout.once('data', () => child.kill())
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { exitCode, stderr }
}

function assertSentence({ exitCode, stderr }: Ended, expected: RegExp): void {
  assert.equal(exitCode, 1, stderr)
  assert.match(stderr, expected)
  assert.match(stderr, /^envelog: [^\n]+\.\n$/, 'one line, no stack')
}

const disk = openSmallDisk(64 * 1024 * 1024)

describe('a data folder that cannot be used is reported in a sentence', { concurrency: false }, () => {
  test('on a read-only file system', { skip: disk ? false : 'mounting one needs root' }, async () => {
    const path = disk?.path ?? ''
    const parent = join(path, 'read-only')
    mkdirSync(parent)
    using installation = await openInstallation({ parent })
    const remount = (option: string) => spawnSync('mount', ['-o', `remount,${option}`, path]).status
    assert.equal(remount('ro'), 0)
    try {
      const expected = /cannot be used: its file system is read-only\. Mount it read-write, or set ENVELOG_DATA_DIR/
      assertSentence(await run(installation.dataDir, ['serve']), expected)
      assertSentence(await run(installation.dataDir, ['tenant', 'list']), expected)
      assertSentence(await run(join(path, 'new'), ['serve']), expected)
    } finally {
      assert.equal(remount('rw'), 0)
    }
  })

  test('that another user may not read', { skip: isRoot ? false : 'changing the user needs root' }, async () => {
    using folder = openTemporaryFolder()
    chmodSync(folder.path, 0o755)
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const expected = /cannot be used: this user may not read or write it\. Change its owner or permissions, or set/
    assertSentence(await run(dataDir, ['serve'], NOBODY), expected)
    assertSentence(await run(dataDir, ['tenant', 'list'], NOBODY), /This user may not use the data folder/)
    // May be read, but not written.
    chmodSync(dataDir, 0o755)
    assertSentence(await run(dataDir, ['serve'], NOBODY), expected)
  })

  test('of a newer version', async () => {
    using installation = await openInstallation()
    {
      using control = new Database(join(installation.dataDir, 'control.db'))
      control.execute('PRAGMA user_version = 9999')
    }
    const expected = /control\.db was written by a newer version of Envelog \(schema 9999, this version knows \d+\)/
    assertSentence(await run(installation.dataDir, ['serve']), expected)
    assertSentence(await run(installation.dataDir, ['tenant', 'list']), expected)
  })
})

test('SIGTERM on a full disk ends the server with 0 and without a stack, and nothing acknowledged is lost', async (t) => {
  if (!disk) return t.skip('mounting one needs root')
  using _disk = disk
  const parent = join(disk.path, 'full')
  mkdirSync(parent)
  const scene = await StorageScene.open({ parent })
  await scene.store(scene.traffic.nextBatch(200, [0, 1, 2]))
  await scene.server.stop()
  scene.server = await scene.installation.start({ ENVELOG_LOG_LEVEL: 'info' })
  scene.client = new LogClient(scene.server.address, scene.installation)
  // Uses of keys and failed requests, which are written later.
  await scene.assertLogIsWhatWasKept()
  await fetch(`${scene.server.address}/v1/admin/tenants`)
  disk.fill()
  await scene.assertRefused(JSON.stringify(scene.traffic.nextBatch(500, [0, 1])))
  assert.equal(await scene.server.stop(), 0)
  assert.match(scene.server.logs(), /"level":40,.*"reason":"[^"]+".*the last uses of keys could not be saved/)
  assert.match(scene.server.logs(), /"msg":"closed"/)
  const afterSignal = scene.server.logs().slice(scene.server.logs().indexOf('"closing"'))
  assert.doesNotMatch(afterSignal, /"stack"/)
  disk.clear()
  await scene.restart()
  await scene.assertLogIsWhatWasKept()
  await scene.recount()
  await scene.close()
})
