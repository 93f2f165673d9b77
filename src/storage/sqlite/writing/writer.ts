/** The serving side of the writing thread: a call, a promise. A thread that dies is replaced; it holds nothing but open files. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../lib/app-error.ts'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { DayTrouble } from '../../storage.ts'
import { storageUnavailable } from '../database/storage-failure.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { HistoryNotice } from '../history/history-notice.ts'
import type { WriterCall, WriterNotice, WriterReply } from './writer-protocol.ts'

/** Enough for a group of rows. */
const YOUNG_MB = 8

/** Delay before a failed store is probed: there may be no writes while it is reported as broken. */
const PROBE_MS = 250
/** How often the free space is checked: a disk may fill up while nothing is written here. */
const ROOM_MS = 5000

/** `arrivals`: of the rows of the call, if it wants them and has succeeded. */
type OnCommits = (commits: readonly DayCommit[], arrivals?: Uint32Array) => void

interface PendingCall extends PromiseWithResolvers<unknown> {
  readonly onCommits: OnCommits
}

export interface WriterOptions {
  readonly dataDir: string
  /** Called before the call that made them is settled. */
  readonly onCommits: OnCommits
  /** In order with the commits. */
  readonly onHistory?: (notice: HistoryNotice) => void
  /** The thread died: its last commits are unknown. */
  readonly onLost: () => void
  /** The thread has set a day aside. */
  readonly onTrouble?: (trouble: DayTrouble) => void
}

export class Writer {
  readonly #options: WriterOptions
  readonly #pending = new Map<number, PendingCall>()
  #worker: Worker | undefined
  #lastId = 0
  #isClosed = false
  #lastFailure: Error | undefined
  #probing: NodeJS.Timeout | undefined
  readonly #roomChecks: NodeJS.Timeout

  constructor(options: WriterOptions) {
    this.#options = options
    this.#worker = this.#start()
    this.#roomChecks = setInterval(
      () => void this.call({ kind: 'requireRoom' }).catch(() => undefined),
      ROOM_MS,
    ).unref()
  }

  /**
   * False from a failed write until a probe finds that everything which ingest needs can be written: a write that succeeds
   * meanwhile may be of another file, or smaller.
   */
  get isHealthy(): boolean {
    return this.#lastFailure === undefined
  }

  /** `onCommits`: instead of that of the options. */
  call(call: WriterCall, onCommits: OnCommits = this.#options.onCommits): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(storageUnavailable(new Error('the storage is closed')))
    // The system may refuse to start another thread.
    return Promise.try(() => this.#send(call, onCommits))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#probing)
    clearInterval(this.#roomChecks)
    // A thread that has died has nothing open.
    const worker = this.#worker
    if (!worker) return
    try {
      await this.#send({ kind: 'close' }, this.#options.onCommits)
    } finally {
      await worker.terminate()
    }
  }

  #send(call: WriterCall, onCommits: OnCommits): Promise<unknown> {
    this.#worker ??= this.#start()
    const id = ++this.#lastId
    const pending = { ...Promise.withResolvers<unknown>(), onCommits }
    this.#pending.set(id, pending)
    this.#worker.postMessage({ id, call })
    return pending.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { dataDir: this.#options.dataDir },
      resourceLimits: youngGenerationOf(YOUNG_MB),
    })
    worker.on('message', (message: WriterReply | WriterNotice | HistoryNotice) => {
      if ('trouble' in message) this.#options.onTrouble?.(message.trouble)
      else if ('notice' in message) this.#options.onHistory?.(message)
      else this.#settle(message)
    })
    worker.on('error', (error) => this.#fail(worker, error as Error))
    worker.on('exit', (code) => this.#fail(worker, new Error(`the writing thread ended with code ${code}`)))
    return worker
  }

  #settle(reply: WriterReply): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (reply.commits.length > 0) (call?.onCommits ?? this.#options.onCommits)(reply.commits, reply.arrivals)
    if (!reply.error) {
      if (reply.failure) this.#noteFailure(reply.failure)
      call?.resolve(reply.value)
      return
    }
    const { code, error } = reply
    if (code === 'storage_unavailable') this.#noteFailure(error)
    call?.reject(code ? new AppError(code, error.message, { cause: error.cause }) : error)
  }

  #noteFailure(cause: Error): void {
    if (this.#isClosed) return
    this.#lastFailure = cause
    this.#probing ??= setTimeout(() => {
      this.#probing = undefined
      this.#probe().catch((error: Error) => this.#noteFailure(error))
    }, PROBE_MS).unref()
  }

  async #probe(): Promise<void> {
    const before = this.#lastFailure
    await this.call({ kind: 'probe' })
    // A write may have failed since.
    if (this.#lastFailure === before) this.#lastFailure = undefined
  }

  /** The outcome of pending calls is unknown: callers repeat them, and events that were stored are found as duplicates. */
  #fail(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    if (!this.#isClosed) {
      this.#noteFailure(cause)
      this.#options.onLost()
    }
    for (const call of this.#pending.values()) call.reject(storageUnavailable(cause))
    this.#pending.clear()
  }
}
