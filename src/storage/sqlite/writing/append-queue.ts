/**
 * Group commit: requests that arrive while a commit is under way wait together and share the next one. An idle store
 * commits at once; a busy one commits in large groups, which is what makes it fast.
 */
import { DaysUnavailableError } from '../../../events/log/days-unavailable.ts'
import type { AppendResult } from '../../../events/log/event-log.ts'
import { PartlyStoredError } from '../../../events/log/partly-stored.ts'
import { AppError } from '../../../lib/app-error.ts'
import { storageUnavailable } from '../database/storage-failure.ts'
import type { RequestOutcome } from './day-writers.ts'
import type { EventRow } from './event-row.ts'
import { type PackedRows, RowPack } from './packed-rows.ts'

/** Rows in one commit: beyond this a larger group is hardly cheaper, and callers wait longer. */
const GROUP_ROWS_MAX = 5000
/** Rows that may wait. Beyond this senders are refused and retry later: their spool is the better queue. */
const WAITING_ROWS_MAX = 100_000

/** Requests that share a commit. Rows are packed as they arrive: a large group at once would block the thread for milliseconds. */
interface Group {
  readonly requests: PromiseWithResolvers<AppendResult>[]
  readonly pack: RowPack
}

function cannotBeWritten(stored: number): PartlyStoredError {
  const { message, cause } = storageUnavailable(new Error('a day of the request cannot be written'))
  return new PartlyStoredError(stored, message, { cause })
}

export class AppendQueue {
  readonly #commit: (rows: PackedRows) => Promise<readonly RequestOutcome[]>
  /** New requests join the last one. */
  readonly #groups: Group[] = []
  #waitingRows = 0
  #rowsInCommit = 0
  #running: Promise<void> | undefined

  constructor(commit: (rows: PackedRows) => Promise<readonly RequestOutcome[]>) {
    this.#commit = commit
  }

  get queuedRows(): number {
    return this.#waitingRows + this.#rowsInCommit
  }

  append(rows: readonly EventRow[]): Promise<AppendResult> {
    if (this.#waitingRows > 0 && this.#waitingRows + rows.length > WAITING_ROWS_MAX) {
      return Promise.reject(
        new AppError('overloaded', 'Too many events are waiting to be stored. Send the request again later.'),
      )
    }
    const { pack, requests } = this.#groupFor(rows.length)
    const request = Promise.withResolvers<AppendResult>()
    pack.addRequest(rows)
    requests.push(request)
    this.#waitingRows += rows.length
    this.#running ??= this.#run()
    return request.promise
  }

  /** Resolves when everything accepted so far is committed or refused. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  #groupFor(rows: number): Group {
    const last = this.#groups.at(-1)
    if (last && last.pack.rows + rows <= GROUP_ROWS_MAX) return last
    const group = { requests: [], pack: new RowPack() }
    this.#groups.push(group)
    return group
  }

  async #run(): Promise<void> {
    // A turn of the event loop first, so that requests read from their sockets together are committed together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#groups.length > 0) await this.#commitNext()
    this.#running = undefined
  }

  /** Not an async function: it would keep the rows, of which the writing thread gets a copy, until they are durable. */
  #commitNext(): Promise<void> {
    const { requests = [], pack = new RowPack() } = this.#groups.shift() ?? {}
    this.#waitingRows -= pack.rows
    this.#rowsInCommit = pack.rows
    return this.#answer(
      requests,
      Promise.try(() => this.#commit(pack.finish())),
    )
  }

  async #answer(requests: Group['requests'], committing: Promise<readonly RequestOutcome[]>): Promise<void> {
    try {
      const results = await committing
      for (const [index, request] of requests.entries()) {
        const result = results[index]
        if (!result) request.reject(new Error('the writer returned no result for a request'))
        else if (!('setAside' in result)) request.resolve(result)
        else if (result.setAside.length > 0) request.reject(new DaysUnavailableError(result.setAside, result.stored))
        else request.reject(cannotBeWritten(result.stored))
      }
    } catch (error) {
      for (const request of requests) request.reject(error)
    } finally {
      this.#rowsInCommit = 0
    }
  }
}
