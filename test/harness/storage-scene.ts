/** A server whose storage is about to fail, the batches it was sent and those it has acknowledged. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Installation, type InstallationOptions, openInstallation } from './installation.ts'
import { type Batch, fingerprint } from './ledger.ts'
import { countEvents, LogClient } from './log-client.ts'
import type { ServerProcess } from './server-process.ts'
import { createTraffic, type Traffic } from './traffic.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const window = { start_timestamp: String(now - 20 * DAY), end_timestamp: String(now) }

export class StorageScene {
  readonly installation: Installation
  readonly traffic: Traffic
  /** The batches answered with 200 so far. */
  readonly kept: Batch[] = []
  server: ServerProcess
  client: LogClient

  private constructor(installation: Installation, server: ServerProcess) {
    this.installation = installation
    this.traffic = createTraffic({ domains: installation.domains, now })
    this.server = server
    this.client = new LogClient(server.address, installation)
  }

  static async open(options: InstallationOptions = {}): Promise<StorageScene> {
    const installation = await openInstallation(options)
    return new StorageScene(installation, await installation.start({ ENVELOG_LOG_LEVEL: 'silent' }))
  }

  async restart(): Promise<void> {
    assert.equal(await this.server.stop(), 0)
    this.server = await this.installation.start({ ENVELOG_LOG_LEVEL: 'silent' })
    this.client = new LogClient(this.server.address, this.installation)
  }

  async close(): Promise<void> {
    await this.server[Symbol.asyncDispose]()
    this.installation[Symbol.dispose]()
  }

  async store(batch: Batch): Promise<void> {
    assert.deepEqual(await this.client.ingest(batch), { stored: batch.length, duplicates: 0, rejected: [] })
    this.kept.push(batch)
  }

  /** True if it was stored, false if it was refused with the expected error. */
  async tryToStore(body: string): Promise<boolean> {
    const answer = await this.client.post(body)
    const result = (await answer.json()) as Record<string, unknown>
    if (answer.status === 200) return true
    assert.equal(answer.status, 503, JSON.stringify(result))
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.deepEqual(Object.keys(result), ['error', 'message'])
    assert.equal(result['error'], 503)
    return false
  }

  async assertRefused(body: string): Promise<void> {
    assert.equal(await this.tryToStore(body), false)
  }

  /** Checks that listing and statistics work, contain everything acknowledged, and of the rest at most the events of `maybe`. */
  async assertLogIsWhatWasKept(maybe: Batch = []): Promise<void> {
    const owed = new Set(this.kept.flat().map(fingerprint))
    const possible = new Set(maybe.map(fingerprint))
    const stats = await this.client.stats()
    for (const domain of this.installation.domains) {
      const events = await this.client.listAll(domain, window)
      for (const event of events) {
        const mark = fingerprint(event)
        assert(
          owed.delete(mark) || possible.delete(mark),
          `listed twice, or not acknowledged: ${JSON.stringify(event)}`,
        )
      }
      assert.deepEqual(stats[domain], countEvents(events))
    }
    assert.equal(owed.size, 0, `${owed.size} acknowledged events are lost`)
  }

  async statusOf(path: string): Promise<number> {
    const answer = await fetch(`${this.server.address}${path}`)
    await answer.text()
    return answer.status
  }

  async becomesReady(): Promise<void> {
    for (let tries = 0; (await this.statusOf('/readyz')) !== 200; tries++) {
      assert(tries < 200, 'the server does not notice that its disk can be written again')
      await delay(20)
    }
  }

  async recount(): Promise<void> {
    const { exitCode, stdout } = await this.installation.cli('--json', 'recount')
    assert.deepEqual({ exitCode, ...JSON.parse(stdout) }, { exitCode: 0, ok: true, differences: [] })
  }
}
