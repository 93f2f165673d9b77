/** A server whose storage is about to fail, the batches it was sent and those it has acknowledged. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Installation, type InstallationOptions, openInstallation } from '../programs/installation.ts'
import type { ServerProcess } from '../programs/server-process.ts'
import { type Batch, Ledger } from './ledger.ts'
import { LogClient } from './log-client.ts'
import { createTraffic, type Traffic } from './traffic.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)

export class StorageScene {
  readonly installation: Installation
  readonly traffic: Traffic
  readonly ledger: Ledger
  server: ServerProcess
  client: LogClient

  private constructor(installation: Installation, server: ServerProcess) {
    this.installation = installation
    this.traffic = createTraffic({ domains: installation.domains, now })
    this.ledger = new Ledger(installation.domains, { fromTimestamp: now - 20 * DAY, toTimestamp: now })
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
    const result = await this.ledger.send(this.client, batch)
    assert.deepEqual(result, { stored: batch.length, duplicates: 0, rejected: [] })
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

  /** Listing and statistics work, contain everything acknowledged, and of the rest at most the events of `maybe`. */
  async assertLogIsWhatWasKept(maybe: Batch = []): Promise<void> {
    await this.ledger.verify(this.client, maybe)
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
