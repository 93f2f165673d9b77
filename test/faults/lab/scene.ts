/** One installation under faults: its server, the writers, and the record of what they sent. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Batch, Ledger } from '../../harness/log/ledger.ts'
import { createTraffic, type Traffic } from '../../harness/log/traffic.ts'
import type { ServerProcess } from '../../harness/programs/server-process.ts'
import type { Bench } from './bench.ts'
import { checkLog, type Window } from './check-log.ts'
import { type Site, type StartOptions, TENANTS } from './engine.ts'
import { LabClient } from './lab-client.ts'
import { RecordFile, readRecordFile } from './record-file.ts'

const WRITERS = 4
const DAY = 86_400
const DOMAINS = TENANTS.flatMap(({ domains }) => domains)

export class Scene implements AsyncDisposable {
  readonly bench: Bench
  readonly site: Site
  readonly traffic: Traffic
  readonly ledger: Ledger
  readonly window: Window
  readonly #record: RecordFile
  #server: ServerProcess | undefined
  #client: LabClient | undefined

  constructor(bench: Bench) {
    this.bench = bench
    this.site = bench.site
    const now = Math.floor(Date.now() / 1000)
    this.window = { fromTimestamp: now - 80 * DAY, toTimestamp: now }
    this.traffic = createTraffic({ domains: DOMAINS, now })
    this.#record = new RecordFile(join(bench.folder, 'record'))
    this.ledger = new Ledger(DOMAINS, { ...this.window, record: this.#record })
  }

  get server(): ServerProcess {
    assert(this.#server, 'no server runs')
    return this.#server
  }

  get client(): LabClient {
    assert(this.#client, 'no server runs')
    return this.#client
  }

  /** What the running server has logged, or nothing. */
  get logs(): string {
    return this.#server?.logs() ?? ''
  }

  async start(options?: StartOptions): Promise<void> {
    this.#server = await this.site.start(options)
    this.#client = new LabClient(this.#server.address, this.site.keys)
  }

  /** The exit code, or null after a signal. */
  async stop(): Promise<number | null> {
    const code = await this.#server?.stop()
    this.#server = undefined
    return code ?? null
  }

  /** Throws if it had ended before, and not by a signal. */
  async kill(): Promise<void> {
    const server = this.#server
    if (!server) return
    await server.kill()
    const code = await this.stop()
    assert.equal(code, null, `the server ended with ${code}: ${server.logs()}`)
  }

  /**
   * Several writers, batch after batch, until the server is gone. The first begins with batches that were never answered, as
   * a mail server does. An answer other than 200 fails the round. `answered` resolves after so many answers.
   */
  writeUntilGone(
    days: readonly number[],
    answers: number,
  ): { readonly writers: Promise<void>; readonly answered: Promise<void> } {
    const { client, ledger, traffic } = this
    const { random } = this.bench
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    let left = answers
    if (left === 0) resolve()
    const spool = ledger.unanswered.slice(-2)
    const write = async (writer: number) => {
      try {
        for (;;) {
          const again = writer === 0 ? spool.shift() : undefined
          await ledger.send(client, again ?? traffic.nextBatch(random.between(1, 20), days))
          left--
          if (left === 0) resolve()
        }
      } catch (error) {
        // fetch throws this when the server is gone; failed assertions have another class.
        if (!(error instanceof TypeError)) throw error
      }
    }
    const all = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    return { answered, writers: all.then(() => undefined) }
  }

  /** True if it was stored, false if it was refused as storage that cannot be written is. */
  async tryToStore(batch: Batch): Promise<boolean> {
    this.ledger.expect(batch)
    const answer = await this.client.post(batch)
    const text = await answer.text()
    if (answer.status === 200) {
      const { stored, duplicates } = JSON.parse(text) as { stored: number; duplicates: number }
      assert.equal(stored + duplicates, batch.length, text)
      this.ledger.acknowledge(batch)
      return true
    }
    assert.equal(answer.status, 503, text)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    return false
  }

  async store(batch: Batch): Promise<void> {
    assert(await this.tryToStore(batch), 'refused without a fault')
  }

  async becomesReady(): Promise<void> {
    for (let tries = 0; (await this.client.statusOf('/readyz')) !== 200; tries++) {
      assert(tries < 500, 'the server does not notice that it can write again')
      await delay(20)
    }
  }

  /** Everything that can be read agrees with the record. */
  async check(): Promise<void> {
    await checkLog(this.client, this.ledger, this.window, this.bench.random)
  }

  /** Sends everything again. Returns how many acknowledged events were not stored already. */
  async sendAgain(): Promise<number> {
    let missing = 0
    for (const batch of this.ledger.acknowledged) missing += (await this.ledger.send(this.client, batch)).stored
    for (const batch of this.ledger.unanswered) await this.ledger.send(this.client, batch)
    return missing
  }

  /** The end of a scene: restarts without a fault, and compares with the record as it is on the disk. */
  async finish(): Promise<void> {
    await this.start()
    await this.check()
    assert.equal(await this.sendAgain(), 0)
    await checkLog(this.client, this.readLedger(), this.window, this.bench.random)
    assert.equal(await this.stop(), 0)
    await this.recount()
    this.bench.count('events acknowledged', this.ledger.acknowledgedEvents)
  }

  /** From the file alone. */
  readLedger(): Ledger {
    const { acknowledged, unanswered } = readRecordFile(this.#record.path)
    const ledger = new Ledger(DOMAINS, this.window)
    for (const batch of acknowledged) ledger.acknowledge(batch)
    for (const batch of unanswered) ledger.expect(batch)
    return ledger
  }

  async recount(site: Site = this.site): Promise<void> {
    const { exitCode, stdout, stderr } = await site.cli('--json', 'recount')
    assert.deepEqual(
      { exitCode, stdout: JSON.parse(stdout || 'null'), stderr },
      { exitCode: 0, stdout: { ok: true, differences: [] }, stderr: '' },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.kill()
    await this.stop()
    this.#record[Symbol.dispose]()
  }
}
