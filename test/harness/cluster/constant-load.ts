/** Writers that send without end, to all servers in turn, some of it again: what is acknowledged twice has to be all duplicates. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { IngestResult } from '../../../src/events/ingest/ingest-events.ts'
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import type { BalancedServers } from './balanced-servers.ts'
import type { NumberedTraffic } from './numbered-traffic.ts'

const WRITERS = 6
/** Of requests that repeat an acknowledged batch. */
const REPEATED = 0.15
/** Of batches that are sent to two servers at the same time. */
const DOUBLED = 0.1

export interface LoadOptions {
  readonly balanced: BalancedServers
  readonly traffic: NumberedTraffic
  readonly ingestKey: string
  readonly random: SeededRandom
  /** Acknowledged at the end, at least. */
  readonly events: number
  /** Spread over about this time; afterwards as fast as possible. */
  readonly paceMs: number
}

export class ConstantLoad {
  readonly #options: LoadOptions
  readonly #startedAt = performance.now()
  /** Rejects with the first failure. */
  readonly ended: Promise<void>
  #isPaced = true

  constructor(options: LoadOptions) {
    this.#options = options
    this.ended = Promise.all(Array.from({ length: WRITERS }, () => this.#write())).then(() => undefined)
    // Until somebody waits for it.
    this.ended.catch(() => undefined)
  }

  /** Sends the rest as fast as possible. */
  async finish(): Promise<void> {
    this.#isPaced = false
    await this.ended
  }

  async #write(): Promise<void> {
    const { traffic, events, random } = this.#options
    while (traffic.acknowledgedEvents < events || this.#isPaced) {
      await this.#pause()
      if (traffic.batches > 0 && random.isLucky(REPEATED)) await this.#send(random.below(traffic.batches))
      const batch = traffic.nextBatch()
      await Promise.all(Array.from({ length: random.isLucky(DOUBLED) ? 2 : 1 }, () => this.#send(batch)))
    }
  }

  async #send(batch: number): Promise<void> {
    const { balanced, traffic, ingestKey } = this.#options
    const wasStored = traffic.isAcknowledged(batch)
    const events = traffic.eventsOf(batch)
    const init = { method: 'POST', body: JSON.stringify(events), headers: { authorization: ingestKey } }
    const { stored, duplicates, rejected } = JSON.parse(await balanced.request('/ingest/events', init)) as IngestResult
    assert.deepEqual(rejected, [])
    assert.equal(stored + duplicates, events.length)
    if (wasStored) assert.equal(stored, 0, 'events that were acknowledged are stored again')
    traffic.acknowledge(batch)
  }

  /** Waits while more was acknowledged than the pace asks for. */
  async #pause(): Promise<void> {
    const { traffic, events, paceMs } = this.#options
    const isAhead = () => traffic.acknowledgedEvents / events > (performance.now() - this.#startedAt) / paceMs
    while (this.#isPaced && isAhead()) await delay(50)
  }
}
