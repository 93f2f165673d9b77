/**
 * Group commit: requests that arrive while a commit is under way wait together and share the next one. An idle store
 * commits at once; a busy one commits in large groups, which is what makes it fast.
 */
import type { AppendResult } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { EventRow } from './event-row.ts'
import { type PackedRows, RowPack } from './packed-rows.ts'

/** Rows in one commit: beyond this a larger group is hardly cheaper, and callers wait longer. */
const GROUP_ROWS_MAX = 5000
/** Rows that may wait. Beyond this senders are refused and retry later: their spool is the better queue. */
const WAITING_ROWS_MAX = 100_000

interface Waiting {
  readonly resolve: (result: AppendResult) => void
  readonly reject: (error: unknown) => void
}

/** Rows are packed as they arrive: a large group at once would block the thread for milliseconds. */
class Group {
  readonly requests: Waiting[] = []
  #pack = new RowPack()

  get rows(): number {
    return this.#pack.rows
  }

  hasRoomFor(rows: number): boolean {
    return this.rows === 0 || this.rows + rows <= GROUP_ROWS_MAX
  }

  add(rows: readonly EventRow[], request: Waiting): void {
    this.#pack.addRequest(rows)
    this.requests.push(request)
  }

  /** They are not kept: the writing thread gets a copy. */
  takeRows(): PackedRows {
    const packed = this.#pack.finish()
    this.#pack = new RowPack()
    return packed
  }
}

export class AppendQueue {
  readonly #commit: (rows: PackedRows) => Promise<readonly AppendResult[]>
  /** New requests join the last one. */
  readonly #groups: Group[] = []
  #waitingRows = 0
  #rowsInCommit = 0
  #running: Promise<void> | undefined

  constructor(commit: (rows: PackedRows) => Promise<readonly AppendResult[]>) {
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
      this.#groupFor(rows.length).add(rows, { resolve, reject })
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
    for (let group = this.#groups.shift(); group; group = this.#groups.shift()) await this.#commitGroup(group)
    this.#running = undefined
  }

  #groupFor(rows: number): Group {
    const last = this.#groups.at(-1)
    if (last?.hasRoomFor(rows)) return last
    const group = new Group()
    this.#groups.push(group)
    return group
  }

  async #commitGroup(group: Group): Promise<void> {
    const { requests } = group
    this.#waitingRows -= group.rows
    this.#rowsInCommit = group.rows
    try {
      const results = await this.#commit(group.takeRows())
      for (const [index, request] of requests.entries()) {
        const result = results[index]
        if (result) request.resolve(result)
        else request.reject(new Error('the writer returned no result for a request'))
      }
    } catch (error) {
      for (const request of requests) request.reject(error)
    } finally {
      this.#rowsInCommit = 0
    }
  }
}
