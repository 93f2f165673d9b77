/** One damaged file of many: the server goes on with all other days, says what is missing, and the repair brings the day back. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Batch, Ledger } from '../harness/log/ledger.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic, type Traffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { damagePage, damageWal, FILE_DAMAGES } from '../harness/storage/damage.ts'

const DAY = 86_400
/** Noon of yesterday, so that no batch crosses a midnight. */
const NOON = (Math.floor(Date.now() / 1000 / DAY) - 1) * DAY + DAY / 2
const nameOf = (daysBefore: number) => new Date((NOON - daysBefore * DAY) * 1000).toISOString().slice(0, 10)
/** The day that is damaged. */
const BAD = 2
const POSTS = 60

class Scene {
  readonly installation: Installation
  readonly traffic: Traffic
  readonly ledger: Ledger
  readonly others: Ledger
  server!: ServerProcess
  client!: LogClient

  constructor(installation: Installation) {
    this.installation = installation
    this.traffic = createTraffic({ domains: installation.domains, now: NOON })
    const window = { fromTimestamp: NOON - 20 * DAY, toTimestamp: NOON }
    this.ledger = new Ledger(installation.domains, window)
    this.others = new Ledger(installation.domains, window)
  }

  get path(): string {
    return join(this.installation.dataDir, 'events', `${nameOf(BAD)}.db`)
  }

  async start(): Promise<void> {
    this.server = await this.installation.start({ ENVELOG_LOG_LEVEL: 'error' })
    this.client = new LogClient(this.server.address, this.installation)
  }

  async store(batch: Batch, isOther: boolean): Promise<void> {
    await this.ledger.send(this.client, batch)
    if (isOther) this.others.acknowledge(batch)
  }

  async cli<T>(...args: readonly string[]): Promise<{ readonly exitCode: number | null; readonly result: T }> {
    const { exitCode, stdout, stderr } = await this.installation.cli('--json', ...args)
    assert.notEqual(stdout, '', stderr)
    return { exitCode, result: JSON.parse(stdout) as T }
  }

  async metric(line: string): Promise<boolean> {
    const answer = await fetch(`${this.server.address}/metrics`)
    return (await answer.text()).includes(`\n${line}\n`)
  }

  async readiness(): Promise<number> {
    const answer = await fetch(`${this.server.address}/readyz`)
    await answer.text()
    return answer.status
  }

  /** The days that the answer says are missing. */
  async incomplete(path: string): Promise<string | null> {
    const answer = await this.client.get(path)
    await answer.text()
    assert.equal(answer.status, 200, path)
    return answer.headers.get('envelog-incomplete')
  }
}

interface Repair {
  readonly saved: number
  readonly lost: number
}

describe('a damaged day', { concurrency: false }, () => {
  let scene: Scene

  beforeEach(async () => {
    scene = new Scene(await openInstallation())
    await scene.start()
    for (let round = 0; round < 8; round++) {
      await scene.store(scene.traffic.nextBatch(150, [BAD]), false)
      await scene.store(scene.traffic.nextBatch(60, [0, 1, 3]), true)
    }
  })

  afterEach(async () => {
    await scene.server[Symbol.asyncDispose]()
    scene.installation[Symbol.dispose]()
  })

  /** src/storage/sqlite/damaged-day.test.ts has all of them. */
  const damages: Readonly<Record<string, ((path: string) => void) | undefined>> = {
    'the header overwritten': FILE_DAMAGES['the header overwritten'],
    'an inner page of events overwritten': (path) => void damagePage(path, 'event interior'),
    'a page of messages overwritten': (path) => void damagePage(path, 'message leaf'),
  }
  for (const [name, damage] of Object.entries(damages)) {
    test(`${name}: all posts and reads of other days succeed, and the repair under load brings the day back`, async () => {
      assert.equal(await scene.server.stop(), 0)
      damage?.(scene.path)
      await scene.start()
      // What finds the damage is up to the disk; the search reads everything.
      await scene.cli('recount')
      const search = `/v1/events?q=nothing&from=${new Date((NOON - 10 * DAY) * 1000).toISOString()}`
      const posts = Array.from({ length: POSTS }, () => scene.store(scene.traffic.nextBatch(5, [0, 1, 3, 4]), true))
      const reads = Array.from({ length: 20 }, () => scene.incomplete(search))
      await Promise.all([...posts, ...reads])
      await scene.others.verify(scene.client)

      const bad = nameOf(BAD)
      const window = (before: number) => `start_timestamp=${NOON - before * DAY}&end_timestamp=${NOON}`
      const [domain] = scene.installation.domains
      assert.equal(await scene.incomplete(`/webhooks/${domain}?${window(10)}`), bad)
      assert.equal(await scene.incomplete(`/webhooks/${domain}?${window(1)}`), null)
      assert.equal(await scene.incomplete(`/webhooks/${domain}?message_id=nothing`), bad)
      assert.equal(await scene.incomplete(`/logs/${domain}`), bad)
      assert.equal(await scene.incomplete('/domain/stats'), bad)
      assert.equal(await scene.incomplete('/v1/stats/series?bucket=day'), bad)
      assert.equal(await scene.incomplete('/v1/stats/series?bucket=hour'), null)
      assert.equal(await scene.metric('envelog_storage_day_files_set_aside{kind="damaged"} 1'), true)
      assert.equal(await scene.readiness(), 200)
      assert.ok(scene.server.logs().includes(`${bad} is set aside`))

      const mixed = scene.traffic.nextBatch(20, [0, BAD])
      const answer = await scene.client.post(JSON.stringify(mixed))
      assert.equal(answer.status, 503)
      assert.match(await answer.text(), new RegExp(`Events of ${bad} cannot be stored`))
      assert.equal(answer.headers.get('retry-after'), '60')
      const kept = mixed.filter(({ timestamp }) => timestamp > NOON - DAY)
      assert.deepEqual(await scene.client.ingest(kept), { stored: 0, duplicates: kept.length, rejected: [] })

      const [{ exitCode, result }] = await Promise.all([
        scene.cli<Repair>('repair', bad),
        ...Array.from({ length: 20 }, () => scene.store(scene.traffic.nextBatch(5, [0, 1, 3, 4]), true)),
      ])
      assert.equal(exitCode, result.lost === 0 ? 0 : 1)
      assert.equal(await scene.metric('envelog_storage_day_files_set_aside{kind="damaged"} 0'), true)
      assert.equal(await scene.incomplete('/domain/stats'), null)
      // Everything that is sent again is there once.
      for (const batch of [...scene.ledger.acknowledged, mixed]) await scene.ledger.send(scene.client, batch)
      await scene.ledger.verify(scene.client)
      assert.equal((await scene.cli('recount')).exitCode, 0)
      assert.equal(await scene.server.stop(), 0)
      await scene.start()
      await scene.ledger.verify(scene.client)
    })
  }

  test('a WAL that was damaged before a restart: no acknowledged commit is dropped silently, and the repair saves them', async () => {
    // The last days that were written have a WAL.
    for (let round = 0; round < 5; round++) await scene.store(scene.traffic.nextBatch(50, [BAD]), false)
    await scene.server.kill()
    assert.ok(damageWal(scene.path), 'the WAL has some commits')
    await scene.start()
    await scene.others.verify(scene.client)
    assert.equal(await scene.incomplete('/domain/stats'), nameOf(BAD))
    assert.equal(await scene.server.stop(), 0)
    const { result } = await scene.cli<Repair>('repair', nameOf(BAD))
    assert.ok(result.saved > result.lost, JSON.stringify(result))
    await scene.start()
    for (const batch of scene.ledger.acknowledged) await scene.ledger.send(scene.client, batch)
    await scene.ledger.verify(scene.client)
    assert.equal((await scene.cli('recount')).exitCode, 0)
  })
})
