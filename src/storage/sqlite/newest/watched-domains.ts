/** The domains whose newest pages are requested again and again: new events of theirs are kept until they are durable. */
import type { EventRow } from '../writing/event-row.ts'
import { domainOfRow, type PackedRows, rowsIn, unpackRow } from '../writing/packed-rows.ts'
import { countCharacters } from './row-text.ts'

/** A domain is watched for this long after a request, clients that poll do so at least every minute; */
const WATCH_MS = 60_000
/** and for this many rows: to keep more would take longer than to read the page again. */
const ROWS_PER_REQUEST = 1000
const DOMAINS_MAX = 5000
/** Of one group, which is one at a time. With more, the pages are read again. */
const ROWS_MAX = 5000
const CHARACTERS_MAX = 8 * 2 ** 20

export interface WatchedRow {
  /** Within the group. */
  readonly index: number
  readonly row: EventRow
  /** See `countCharacters`. */
  readonly characters: number
}

/** Since the last request of a domain. */
interface Watch {
  readonly requestedMs: number
  rows: number
}

export class WatchedDomains {
  readonly #nowMs: () => number
  /** In the order of their last requests. */
  readonly #domains = new Map<number, Watch>()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  note(domain: number): void {
    this.#domains.delete(domain)
    this.#domains.set(domain, { requestedMs: this.#nowMs(), rows: 0 })
    if (this.#domains.size > DOMAINS_MAX) this.#dropFirst()
  }

  /** The rows of a group that are of these domains; none if there are too many. */
  select(packed: PackedRows): readonly WatchedRow[] {
    this.#dropExpired()
    if (this.#domains.size === 0) return []
    const selected: WatchedRow[] = []
    let total = 0
    for (let index = 0; index < rowsIn(packed); index++) {
      const watch = this.#domains.get(domainOfRow(packed, index))
      if (!watch || ++watch.rows > ROWS_PER_REQUEST) continue
      const row = unpackRow(packed, index)
      const characters = countCharacters(row)
      total += characters
      if (selected.length === ROWS_MAX || total > CHARACTERS_MAX) return []
      selected.push({ index, row, characters })
    }
    return selected
  }

  #dropExpired(): void {
    const expiredMs = this.#nowMs() - WATCH_MS
    for (const [domain, { requestedMs }] of this.#domains) {
      if (requestedMs > expiredMs) return
      this.#domains.delete(domain)
    }
  }

  #dropFirst(): void {
    for (const domain of this.#domains.keys()) return void this.#domains.delete(domain)
  }
}
