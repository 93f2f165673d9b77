/**
 * KumoMTA's log segments followed by the real command, with a real server. KumoMTA itself is not available here, so its part
 * is played by a writer that treats the files as KumoMTA does: compresses while writing, rotates, removes the write
 * permission of finished segments.
 */
import assert from 'node:assert/strict'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { eventually, startTail, type TailProcess } from '../harness/programs/tail-process.ts'

const TESTDATA = join(import.meta.dirname, '../../src/connectors/kumomta/testdata')
const sample = JSON.parse(readFileSync(join(TESTDATA, '01-delivery.in.json'), 'utf8')) as object
const now = Math.floor(Date.now() / 1000)
/** Only for the times of the kills: a failure does not depend on the seed. */
const random = createSeededRandom(now)

/** Another message each time. */
function makeRecord(n: number): object {
  const type = n % 10 === 0 ? 'Bounce' : 'Delivery'
  return { ...sample, type, id: n.toString(16).padStart(32, '0'), timestamp: now - 3600 + (n % 3000) }
}

/** Writes a segment in steps, so that a reader sees it unfinished; `between` runs after each step. */
async function writeSegment(path: string, records: readonly object[], between: () => Promise<void>): Promise<void> {
  const file = openSync(path, 'w', 0o644)
  const encoder = createZstdCompress()
  encoder.on('data', (chunk: Buffer) => {
    // Cut anywhere, as a flush of the page cache may.
    const middle = random.between(0, chunk.length)
    writeSync(file, chunk.subarray(0, middle))
    writeSync(file, chunk.subarray(middle))
  })
  const steps = 4
  for (let step = 0; step < steps; step++) {
    const part = records.slice((records.length / steps) * step, (records.length / steps) * (step + 1))
    for (const record of part) encoder.write(`${JSON.stringify(record)}\n`)
    await new Promise<void>((resolve) => encoder.flush(constants.ZSTD_e_flush, () => resolve()))
    await between()
  }
  await new Promise<void>((resolve) => {
    encoder.on('end', resolve)
    encoder.end()
  })
  closeSync(file)
  chmodSync(path, 0o444)
}

const SEGMENTS = 8
const PER_SEGMENT = 400
const TOTAL = SEGMENTS * PER_SEGMENT

async function assertAllOnce(client: LogClient): Promise<void> {
  await eventually(async () => {
    const { 'acme.test': counts } = await client.stats()
    const seen = (counts?.delivery ?? 0) + (counts?.bounce ?? 0)
    return seen >= TOTAL ? undefined : `${seen} of ${TOTAL} events were counted`
  })
  const listed = await client.listAll('acme.test')
  assert.equal(listed.length, TOTAL)
  assert.equal(new Set(listed.map((event) => event.id)).size, TOTAL)
}

function openFolders(installation: Installation) {
  const cwd = dirname(installation.dataDir)
  const segments = join(cwd, 'segments')
  mkdirSync(segments)
  const env = { ENVELOG_DATA_DIR: installation.dataDir }
  return {
    cwd,
    segments,
    start: (...args: readonly string[]) => startTail(['kumomta', segments, ...args], { cwd, env }),
  }
}

describe('tail kumomta', () => {
  test('everything is stored once although the command is repeatedly killed with -9', async () => {
    using installation = await openInstallation()
    await using server = await installation.start()
    const client = new LogClient(server.address, installation)
    const folders = openFolders(installation)
    let tail: TailProcess = folders.start()
    for (let n = 0; n < SEGMENTS; n++) {
      const records = Array.from({ length: PER_SEGMENT }, (_, index) => makeRecord(n * PER_SEGMENT + index))
      await writeSegment(join(folders.segments, `20261115-00000${n}.123`), records, async () => {
        if (random.between(0, 3) > 0) return
        await tail.kill()
        tail = folders.start()
      })
    }
    await assertAllOnce(client)
    const { stored } = JSON.parse(await tail.stop()) as { stored: number }
    assert.ok(stored <= TOTAL)
    const again = await installation.cli('--json', 'tail', 'kumomta', folders.segments, '--once')
    assert.deepEqual(JSON.parse(again.stdout), { stored: 0, duplicates: 0, rejected: 0 })
  })

  test('everything is stored once over HTTP although server and command are killed and the server is down for a while', async () => {
    using installation = await openInstallation()
    let server = await installation.start()
    const port = new URL(server.address).port
    const folders = openFolders(installation)
    const keyFile = join(folders.cwd, 'key')
    writeFileSync(keyFile, `${installation.ingestKey}\n`)
    const start = () =>
      folders.start('--url', server.address, '--key-file', keyFile, '--checkpoint', join(folders.cwd, 'place'))
    let tail = start()
    for (let n = 0; n < SEGMENTS; n++) {
      const records = Array.from({ length: PER_SEGMENT }, (_, index) => makeRecord(n * PER_SEGMENT + index))
      await writeSegment(join(folders.segments, `20261115-00000${n}.123`), records, async () => {
        switch (random.between(0, 5)) {
          case 0:
            await tail.kill()
            tail = start()
            break
          case 1:
            await server.kill()
            server = await installation.start({ ENVELOG_PORT: port })
            break
          default:
        }
      })
    }
    await assertAllOnce(new LogClient(server.address, installation))
    await tail.stop()
    await server.stop()
  })

  test('everything is stored once while servers start and stop on the data folder', async () => {
    using installation = await openInstallation()
    const folders = openFolders(installation)
    await using tail = folders.start()
    let server: ServerProcess | undefined
    for (let n = 0; n < SEGMENTS; n++) {
      const records = Array.from({ length: PER_SEGMENT }, (_, index) => makeRecord(n * PER_SEGMENT + index))
      await writeSegment(join(folders.segments, `20261115-00000${n}.123`), records, async () => {
        if (random.between(0, 5) > 0) return
        if (!server) server = await installation.start()
        else if (random.between(0, 1) === 0) server = await stopped(server.stop())
        else server = await stopped(server.kill())
      })
    }
    server ??= await installation.start()
    await assertAllOnce(new LogClient(server.address, installation))
    const { stored, duplicates } = JSON.parse(await tail.stop()) as { stored: number; duplicates: number }
    // Records that a killed server had stored but not acknowledged are sent again.
    assert.ok(stored + duplicates >= TOTAL)
    await server.stop()
  })

  test('a record that is not JSON is quarantined, also over HTTP, and the rest is stored', async () => {
    using installation = await openInstallation()
    await using server = await installation.start()
    const folders = openFolders(installation)
    const keyFile = join(folders.cwd, 'key')
    writeFileSync(keyFile, installation.ingestKey)
    const write = (name: string, lines: readonly string[]) =>
      writeFileSync(join(folders.segments, name), compressLines(lines), { mode: 0o444 })
    write('1', ['# a header line'])
    write('2', [JSON.stringify(makeRecord(1)), 'torn {"type":"Deliv'])
    const remote = ['--url', server.address, '--key-file', keyFile]
    const { stdout, stderr } = await installation.cli(
      '--json',
      'tail',
      'kumomta',
      folders.segments,
      '--once',
      ...remote,
    )
    assert.deepEqual(JSON.parse(stdout), { stored: 1, duplicates: 0, rejected: 2 })
    assert.match(stderr, /A record was rejected and quarantined: a log record must be a JSON object/)
    write('3', ['{', JSON.stringify(makeRecord(2))])
    const local = await installation.cli(
      '--json',
      'tail',
      'kumomta',
      folders.segments,
      '--once',
      '--checkpoint',
      keyFile + 2,
    )
    assert.deepEqual(JSON.parse(local.stdout), { stored: 1, duplicates: 1, rejected: 3 })
  })

  test('import --format kumomta reads a finished segment as a file', async () => {
    using installation = await openInstallation()
    const folders = openFolders(installation)
    const path = join(folders.segments, 'segment.zst')
    writeFileSync(path, compressLines([makeRecord(1), makeRecord(2)].map((record) => JSON.stringify(record))))
    const { stdout } = await installation.cli('--json', 'import', '--format', 'kumomta', path)
    assert.partialDeepStrictEqual(JSON.parse(stdout), { stored: 2, duplicates: 0, rejected: 0 })
  })

  test('a missing key file or an invalid address is reported', async () => {
    using installation = await openInstallation()
    for (const args of [
      ['--url', 'http://127.0.0.1:1'],
      ['--url', 'nonsense', '--key-file', 'x'],
    ]) {
      const { exitCode, stderr } = await installation.cli('tail', 'kumomta', '.', '--once', ...args)
      assert.equal(exitCode, 2)
      assert.match(stderr, /--key-file|not an http address/)
    }
  })
})

async function stopped(stopping: Promise<unknown>): Promise<undefined> {
  await stopping
}

function compressLines(lines: readonly string[]): Buffer {
  return zstdCompressSync(`${lines.join('\n')}\n`)
}
