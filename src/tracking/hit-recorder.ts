/**
 * Opens and clicks on their way into the log: written to a journal first, so that an answer waits for one flush of a file
 * and not for storage, and taken over into the log a moment later, when it is known whether a burst came with them.
 */
import type { Connector } from '../events/ingest/connector.ts'
import { type IngestDependencies, type IngestResult, ingestRecords } from '../events/ingest/ingest-events.ts'
import { SERVER } from '../events/ingest/quarantine-room.ts'
import { parseRecord } from '../events/ingest/raw-record.ts'
import { DaysUnavailableError } from '../events/log/days-unavailable.ts'
import { AppError } from '../lib/app-error.ts'
import type { Journal } from '../lib/journal.ts'
import { foldCase } from '../lib/text/case-folding.ts'
import { BURST_MS, RecentClicks } from './bursts.ts'
import { type Hit, type HitLog, toHitRecord } from './hit.ts'

export interface HitRecorderDeps {
  readonly journal: Journal
  readonly ingest: IngestDependencies
  readonly connector: Connector
  /** Whether hits of machines are stored with a mark, or dropped. */
  readonly machines: 'mark' | 'drop'
  readonly logger: Pick<Console, 'warn' | 'error'>
  readonly onIngested: (result: IngestResult) => void
}

/** Maximum number of lines moved at once. */
const BATCH_LINES = 2000

export class HitRecorder implements HitLog {
  readonly #deps: HitRecorderDeps
  readonly #recent = new RecentClicks()
  /** Hits of the current second, keyed by their stored fields: equal hits are one event and are written once. */
  #ofSecond = new Map<string, Promise<void>>()
  #second = 0
  #previous: Promise<unknown> = Promise.resolve()
  /** When a segment was first seen sealed; those of an earlier process are old enough. */
  readonly #sealedAtMs = new Map<number, number>()
  /** Segments that have hits of a day that is set aside; those of other days do not wait for them. */
  readonly #waiting = new Set<number>()

  constructor(deps: HitRecorderDeps) {
    this.#deps = deps
  }

  /** Bytes of hits that are not in the log yet. */
  get waitingBytes(): number {
    return this.#deps.journal.bytes
  }

  record(hit: Hit): Promise<void> {
    const second = Math.floor(hit.timeMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#ofSecond = new Map()
    }
    this.#recent.note(hit)
    const line = JSON.stringify(hit)
    const known = JSON.stringify(toHitRecord(hit))
    let written = this.#ofSecond.get(known)
    if (!written) {
      written = this.#deps.journal.append(line)
      this.#ofSecond.set(known, written)
    }
    return written
  }

  /** Stores the hits that an earlier process left in the journal. */
  async resume(): Promise<void> {
    const { journal } = this.#deps
    for (const segment of await journal.seal()) {
      for (const line of await journal.readSealed(segment)) {
        const hit = parseHit(line)
        if (hit) this.#recent.note(hit)
      }
      this.#sealedAtMs.set(segment, 0)
    }
  }

  /** Moves hits that are old enough into the log, or all hits if the server is about to stop. */
  drain(options: { readonly isLast?: boolean } = {}): Promise<void> {
    return this.#alone(() => this.#drain(options))
  }

  /** Removes the hits of a recipient that are not in the log yet; returns how many. */
  erase(address: string): Promise<number> {
    return this.#alone(() => eraseHits(this.#deps.journal, address))
  }

  /** Both read segments and then replace them. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#previous.then(work)
    this.#previous = result.catch(() => undefined)
    return result
  }

  async #drain({ isLast = false }: { readonly isLast?: boolean }): Promise<void> {
    const { journal, ingest } = this.#deps
    const nowMs = ingest.clock()
    for (const segment of await journal.seal()) {
      const sealedAtMs = this.#sealedAtMs.get(segment)
      if (sealedAtMs === undefined) this.#sealedAtMs.set(segment, nowMs)
      // A clock that was set back must not hold them up.
      if (!isLast && Math.abs(nowMs - (sealedAtMs ?? nowMs)) < BURST_MS) continue
      const lines = await journal.readSealed(segment)
      await journal.settle(
        segment,
        lines.flatMap((line) => this.#decide(line)),
      )
      this.#sealedAtMs.delete(segment)
    }
    this.#recent.forgetFar(nowMs, 10 * BURST_MS)
    let hasRetried = false
    for (const segment of await journal.listSettled()) {
      // One retry at a time: there may be hours of segments for a day that is set aside.
      if (hasRetried && this.#waiting.has(segment)) continue
      const outcome = await this.#takeOver(await journal.readSettled(segment))
      if (outcome === 'unavailable') return
      if (outcome === 'stored') {
        this.#waiting.delete(segment)
        await journal.removeSettled(segment)
        continue
      }
      hasRetried ||= this.#waiting.has(segment)
      this.#waiting.add(segment)
    }
  }

  /** Moves everything into the log that storage accepts; the rest waits for the next start. */
  async close(): Promise<void> {
    try {
      await this.drain({ isLast: true })
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'opens and clicks stay in the journal until the next start')
    }
    await this.#deps.journal.close()
  }

  /** The event of a line; undefined for a machine's hit that is dropped. */
  #decide(line: string): readonly string[] {
    const hit = parseHit(line)
    // Not a valid hit, such as a damaged line: ingest quarantines it.
    if (!hit) return [line]
    const machine = hit.machine ?? (this.#recent.isInBurst(hit) ? 'burst' : undefined)
    if (machine === undefined) return [JSON.stringify(toHitRecord(hit))]
    return this.#deps.machines === 'drop' ? [] : [JSON.stringify(toHitRecord({ ...hit, machine }))]
  }

  /** `set aside`: everything is stored but the hits of a day that cannot be written. The lines are retried soon. */
  async #takeOver(lines: readonly string[]): Promise<'stored' | 'set aside' | 'unavailable'> {
    const { ingest, connector, onIngested, logger } = this.#deps
    let outcome: 'stored' | 'set aside' = 'stored'
    for (let at = 0; at < lines.length; at += BATCH_LINES) {
      // Each line separately: a damaged one does not delay the others.
      const records = lines.slice(at, at + BATCH_LINES).map((line) => parseRecord(line))
      try {
        onIngested(await ingestRecords(ingest, connector, records, { source: SERVER }))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error instanceof DaysUnavailableError) {
          outcome = 'set aside'
          continue
        }
        logger.warn({ err: error }, 'opens and clicks wait in the journal: storage cannot commit')
        return 'unavailable'
      }
    }
    return outcome
  }
}

/** Hits as they came, and as they were settled. A line that cannot be parsed is removed if it contains the address. */
export function eraseHits(journal: Pick<Journal, 'removeLines'>, address: string): Promise<number> {
  const wanted = foldCase(address)
  return journal.removeLines((line) => {
    const recipient: unknown = parseHit(line)?.recipient
    return typeof recipient === 'string' ? foldCase(recipient) === wanted : foldCase(line).includes(wanted)
  })
}

/** Undefined for a line that a damaged disk has corrupted. */
function parseHit(line: string): Hit | undefined {
  try {
    return JSON.parse(line) as Hit
  } catch {
    return undefined
  }
}
