/**
 * Records what writers sent to a log, and verifies the log: everything acknowledged exactly once, everything else sent at
 * most once, nothing more, and statistics that match the listing.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { EmailEvent } from '../../../src/events/event.ts'
import type { IngestResult } from '../../../src/events/ingest/ingest-events.ts'
import { countEvents, type LogClient } from './log-client.ts'

export type Batch = readonly EmailEvent[]

/** What the ledger needs of a `LogClient`. */
export type LedgerClient = Pick<LogClient, 'ingest' | 'listAll' | 'stats'>

/** Gets every entry as it is made, to keep it elsewhere. */
export interface LedgerRecord {
  sent(batch: Batch): void
  acknowledged(batch: Batch): void
}

export interface LedgerOptions {
  readonly fromTimestamp: number
  readonly toTimestamp: number
  readonly record?: LedgerRecord
}

export class Ledger {
  readonly #domains: readonly string[]
  readonly #window: Readonly<Record<string, string>>
  readonly #record: LedgerRecord | undefined
  readonly #acknowledged = new Set<Batch>()
  readonly #unanswered = new Set<Batch>()
  #isErased: (event: EmailEvent) => boolean = () => false

  constructor(domains: readonly string[], { fromTimestamp, toTimestamp, record }: LedgerOptions) {
    this.#domains = domains
    this.#window = { start_timestamp: String(fromTimestamp), end_timestamp: String(toTimestamp) }
    this.#record = record
  }

  /** Oldest first. */
  get acknowledged(): readonly Batch[] {
    return [...this.#acknowledged]
  }

  get unanswered(): readonly Batch[] {
    return [...this.#unanswered]
  }

  get acknowledgedEvents(): number {
    return this.acknowledged.reduce((sum, batch) => sum + batch.length, 0)
  }

  /** Sends a batch and records the result. Rejects if the answer is not 200. */
  async send(client: LedgerClient, batch: Batch): Promise<IngestResult> {
    this.expect(batch)
    const result = await client.ingest(batch)
    assert.deepEqual(result.rejected, [])
    assert.equal(result.stored + result.duplicates, batch.length)
    this.acknowledge(batch)
    return result
  }

  /** Records a batch that is about to be sent: from now on it may be stored. */
  expect(batch: Batch): void {
    if (this.#acknowledged.has(batch) || this.#unanswered.has(batch)) return
    this.#unanswered.add(batch)
    this.#record?.sent(batch)
  }

  /** Records a batch that was answered with 200, however it was sent. */
  acknowledge(batch: Batch): void {
    this.#unanswered.delete(batch)
    if (this.#acknowledged.has(batch)) return
    this.#acknowledged.add(batch)
    this.#record?.acknowledged(batch)
  }

  /** Records an erasure of events that were sent before it: they are not listed any more, and still count. */
  erase(isErased: (event: EmailEvent) => boolean): void {
    this.#isErased = isErased
  }

  /** Returns the events found, by domain. `possible`: a batch that was sent in another way, and may have been stored. */
  async verify(client: LedgerClient, possible: Batch = []): Promise<ReadonlyMap<string, Batch>> {
    const found = new Map<string, Batch>()
    const acknowledged = this.acknowledged.flat()
    const erased = acknowledged.filter(this.#isErased)
    const kept = acknowledged.filter((event) => !this.#isErased(event))
    const owed = new Map(kept.map((event) => [fingerprint(event), event]))
    const optional = new Set([...this.unanswered.flat(), ...possible].map(fingerprint))
    const stats = await client.stats()
    for (const domain of this.#domains) {
      const events = await client.listAll(domain, this.#window)
      found.set(domain, events)
      for (const event of events) {
        const mark = fingerprint(event)
        // Removed when found, so that a second copy of the event fails the test.
        const isExpected = owed.delete(mark) || optional.delete(mark)
        assert(isExpected, `listed twice, or never sent: ${JSON.stringify(event)}`)
      }
      const counted = [...events, ...erased.filter(({ domain_name: name }) => name === domain)]
      assert.deepEqual(stats[domain], countEvents(counted), `statistics of ${domain} differ from its listing`)
    }
    const [lost] = owed.values()
    assert.equal(owed.size, 0, `${owed.size} acknowledged events are lost, one is ${JSON.stringify(lost)}`)
    return found
  }
}

/** Equal for two events if and only if all of their fields are equal. */
export function fingerprint(event: object): string {
  const fields = Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64')
}
