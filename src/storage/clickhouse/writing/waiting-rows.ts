/** Requests that wait for a shard, and how they are taken in groups. */
import type { AppendResult } from '../../../events/log/event-log.ts'
import { PartlyStoredError } from '../../../events/log/partly-stored.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { EventRow } from '../rows/event-row.ts'
import { type EncodedChunk, lengthOf } from './encoded-events.ts'
import type { GroupLimits } from './group-limits.ts'

const SECONDS_PER_DAY = 86_400

export interface WaitingRow {
  readonly row: EventRow
  readonly chunk: EncodedChunk
  readonly place: number
  /** In the call. */
  readonly index: number
}

export type RowOutcome = 'stored' | 'duplicate' | 'expired'

/** The events of one call that belong to one shard. They may be written in several groups. */
export class WaitingRequest {
  rows: readonly WaitingRow[]
  readonly #result = Promise.withResolvers<AppendResult>()
  readonly #expired: number[] = []
  #stored = 0
  #duplicates = 0
  #open: number

  constructor(rows: readonly WaitingRow[]) {
    this.rows = rows
    this.#open = rows.length
  }

  get result(): Promise<AppendResult> {
    return this.#result.promise
  }

  settle(outcomes: ReadonlyMap<WaitingRow, RowOutcome>, rows: readonly WaitingRow[]): void {
    for (const row of rows) {
      const outcome = outcomes.get(row)
      if (outcome === 'stored') this.#stored++
      else if (outcome === 'expired') this.#expired.push(row.index)
      else this.#duplicates++
    }
    this.#open -= rows.length
    if (this.#open > 0) return
    const expired = this.#expired.sort((a, b) => a - b)
    this.#result.resolve({ stored: this.#stored, duplicates: this.#duplicates, expired })
  }

  fail(error: unknown): void {
    this.rows = []
    this.#result.reject(this.#stored > 0 && error instanceof AppError ? partlyStored(this.#stored, error) : error)
  }
}

export function partlyStored(stored: number, { message, cause }: AppError): PartlyStoredError {
  return new PartlyStoredError(stored, message, { cause })
}

/** Rows that are written together. */
export interface Group {
  readonly rows: readonly WaitingRow[]
  readonly byRequest: ReadonlyMap<WaitingRequest, readonly WaitingRow[]>
}

/**
 * Takes rows in the order in which they came, until a limit is reached. Rows of further days stay, and rows of the same day after them do
 * not overtake each other: of equal events the first one is stored.
 */
export function takeGroup(requests: WaitingRequest[], { events, bytes, days }: GroupLimits): Group {
  const rows: WaitingRow[] = []
  const byRequest = new Map<WaitingRequest, readonly WaitingRow[]>()
  const taken = new Set<number>()
  let size = 0
  let isFull = false
  for (const request of requests) {
    const [own, rest]: [WaitingRow[], WaitingRow[]] = [[], []]
    for (const waiting of request.rows) {
      const day = Math.floor(waiting.row.event.timestamp / SECONDS_PER_DAY)
      const length = lengthOf(waiting.chunk, waiting.place)
      isFull ||= rows.length >= events || (rows.length > 0 && size + length > bytes)
      if (isFull || (!taken.has(day) && taken.size >= days)) {
        rest.push(waiting)
        continue
      }
      taken.add(day)
      size += length
      own.push(waiting)
      rows.push(waiting)
    }
    request.rows = rest
    if (own.length > 0) byRequest.set(request, own)
    if (isFull) break
  }
  const left = requests.filter((request) => request.rows.length > 0)
  requests.splice(0, requests.length, ...left)
  return { rows, byRequest }
}
