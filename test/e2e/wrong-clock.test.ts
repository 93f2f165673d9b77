/** A real server with a clock that is wrong: at its start, and while it runs. Needs faketime, from Debian's packages. */
import assert from 'node:assert/strict'
import { globSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Batch, Ledger } from '../harness/log/ledger.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic, type Traffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

describe('a server whose clock is wrong', { concurrency: false }, () => {
  const folder = openTemporaryFolder()
  const clockFile = join(folder.path, 'clock')
  let installation: Installation
  let traffic: Traffic
  let ledger: Ledger
  let server: ServerProcess
  let client: LogClient

  /** `offset` as faketime(1) has it, such as +100d; it can be changed while the server runs. */
  function setClock(offset: string): void {
    writeFileSync(clockFile, `${offset}\n`)
  }

  async function start(offset: string): Promise<void> {
    setClock(offset)
    server = await installation.start({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      // Running time is measured by a clock that nobody sets.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    })
    client = new LogClient(server.address, installation)
  }

  async function store(batch: Batch): Promise<void> {
    assert.deepEqual(await ledger.send(client, batch), { stored: batch.length, duplicates: 0, rejected: [] })
  }

  function listDays(): readonly string[] {
    return readdirSync(join(installation.dataDir, 'events')).filter((name) => name.endsWith('.db'))
  }

  async function command(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await installation.cli('--json', ...args)
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout) as { readonly phase: string; readonly removedDays: readonly string[] }
  }

  before(async () => {
    installation = await openInstallation()
    traffic = createTraffic({ domains: installation.domains, now })
    ledger = new Ledger(installation.domains, { fromTimestamp: now - 90 * DAY, toTimestamp: now })
    await start('+0')
    for (const days of [[0], [1, 10], [30, 60], [80, 88]]) await store(traffic.nextBatch(20, days))
    assert.equal((await command('retention', 'run')).removedDays.length, 0)
  })

  after(async () => {
    await server.stop()
    installation[Symbol.dispose]()
    folder[Symbol.dispose]()
  })

  test('ahead by 100 days at the start: removes nothing, says why, and stores events with the true time', async () => {
    const days = listDays()
    assert.ok(days.length >= 6)
    await server.stop()
    await start('+100d')
    assert.equal((await command('retention', 'run')).removedDays.length, 0)
    assert.deepEqual(listDays(), days)
    assert.match(server.logs(), /"level":40.*100 days ahead.*retention run --confirm/)
    const metrics = await (await fetch(`${server.address}/metrics`)).text()
    assert.match(metrics, /^envelog_retention_phase\{phase="waiting"\} 1$/m)
    assert.match(metrics, /^envelog_clock_offset_seconds 8[56]\d{5}/m)
    await store(traffic.nextBatch(20, [0, 5, 88]))
    const { exitCode, stdout, stderr } = await installation.cli('retention', 'status')
    assert.equal(exitCode, 0)
    assert.match(stdout, /Retention period: +90 days/)
    assert.match(stderr, /^Warning: The clock is 100 days ahead/)
  })

  test('corrected while it runs: goes on as if nothing had happened', async () => {
    setClock('+0')
    await phaseBecomes('on_time')
    assert.equal((await command('retention', 'run')).removedDays.length, 0)
    await ledger.verify(client)
    await store(traffic.nextBatch(20, [0, 1]))
  })

  test('jumping in both directions while it runs: noticed before the next run, and nothing is removed', async () => {
    const days = listDays()
    for (const offset of ['+400d', '-400d']) {
      setClock(offset)
      await phaseBecomes('waiting')
      assert.equal((await command('retention', 'run')).removedDays.length, 0)
      await store(traffic.nextBatch(20, [0, 1]))
      setClock('+0')
      await phaseBecomes('on_time')
      assert.equal((await command('retention', 'run')).removedDays.length, 0)
    }
    assert.deepEqual(listDays(), days)
    await ledger.verify(client)
  })

  test('right after 60 days off: an operator confirms it, and what is due is removed at once', async () => {
    const before = listDays().length
    await server.stop()
    await start('+60d')
    assert.equal((await command('retention', 'status')).phase, 'waiting')
    const { removedDays } = await command('retention', 'run', '--confirm')
    assert.ok(removedDays.length >= 3, removedDays.join())
    assert.equal(listDays().length, before - removedDays.length)
    for (const day of removedDays) assert.ok(Date.parse(day) / 1000 < now - 29 * DAY, day)
    assert.equal((await command('retention', 'status')).phase, 'on_time')
  })

  async function phaseBecomes(phase: string): Promise<void> {
    for (let tries = 0; (await command('retention', 'status')).phase !== phase; tries++) {
      assert(tries < 50, `retention is not ${phase}`)
      await delay(20)
    }
  }
})
