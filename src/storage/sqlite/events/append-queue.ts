/**
 * Group commit: requests that arrive while a commit is under way wait together and share the next one. An idle store
 * commits at once; a busy one commits in large groups, which is what makes it fast.
 */
import type { AppendResult } from '../../../events/event-store.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { EventRow } from './event-row.ts'

/** Rows in one commit: beyond this a larger group is hardly cheaper, and callers wait longer. */
const GROUP_ROWS_MAX = 5000
/** Rows that may wait. Beyond this the sender is told to come back: its spool is the better queue. */
const WAITING_ROWS_MAX = 100_000

interface Waiting {
  readonly rows: readonly EventRow[]
  readonly resolve: (result: AppendResult) => void
  readonly reject: (error: unknown) => void
}

export class AppendQueue {
  readonly #commit: (requests: readonly (readonly EventRow[])[]) => Promise<readonly AppendResult[]>
  #waiting: Waiting[] = []
  #waitingRows = 0
  #rowsInCommit = 0
  #running: Promise<void> | undefined

  constructor(commit: (requests: readonly (readonly EventRow[])[]) => Promise<readonly AppendResult[]>) {
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
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows, resolve, reject })
      this.#waitingRows += rows.length
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything accepted so far is committed or refused. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // A turn of the event loop first, so that requests read from their sockets together are committed together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#commitGroup(this.#takeGroup())
    this.#running = undefined
  }

  #takeGroup(): readonly Waiting[] {
    let count = 0
    let rows = 0
    for (const request of this.#waiting) {
      if (count > 0 && rows + request.rows.length > GROUP_ROWS_MAX) break
      count++
      rows += request.rows.length
    }
    this.#waitingRows -= rows
    this.#rowsInCommit = rows
    return this.#waiting.splice(0, count)
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#commit(group.map((request) => request.rows))
      for (const [index, request] of group.entries()) {
        const result = results[index]
        if (result) request.resolve(result)
        else request.reject(new Error('the writer returned no result for a request'))
      }
    } catch (error) {
      for (const request of group) request.reject(error)
    } finally {
      this.#rowsInCommit = 0
    }
  }
}
