/** The serving side of the writing thread: a call, a promise. A thread that dies is replaced; it holds nothing but open files. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../lib/app-error.ts'
import { storageUnavailable } from '../database/storage-failure.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { WriterCall, WriterReply } from './writer-protocol.ts'

/**
 * The young generation. By default V8 sizes it by the machine's memory; a group of rows needs only a few MB, and a smaller one
 * has shorter pauses.
 */
const YOUNG_MB = 8

/** Delay before a failed store is probed: there may be no writes while it is reported as broken. */
const PROBE_MS = 250

export interface WriterOptions {
  readonly dataDir: string
  /** Called before the call that made them is settled. */
  readonly onCommits: (commits: readonly DayCommit[]) => void
  /** The thread died: its last commits are unknown. */
  readonly onLost: () => void
}

export class Writer {
  readonly #options: WriterOptions
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #worker: Worker | undefined
  #lastId = 0
  #isClosed = false
  #lastFailure: Error | undefined
  #probing: NodeJS.Timeout | undefined

  constructor(options: WriterOptions) {
    this.#options = options
    this.#worker = this.#start()
  }

  /** False from a failed write until the next one that succeeds. */
  get isHealthy(): boolean {
    return this.#lastFailure === undefined
  }

  call(call: WriterCall): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(storageUnavailable(new Error('the storage is closed')))
    // The system may refuse to start another thread.
    return Promise.try(() => this.#send(call))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#probing)
    // A thread that has died has nothing open.
    const worker = this.#worker
    if (!worker) return
    try {
      await this.#send({ kind: 'close' })
    } finally {
      await worker.terminate()
    }
  }

  #send(call: WriterCall): Promise<unknown> {
    this.#worker ??= this.#start()
    const id = ++this.#lastId
    const pending = Promise.withResolvers<unknown>()
    this.#pending.set(id, pending)
    this.#worker.postMessage({ id, call })
    return pending.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { dataDir: this.#options.dataDir },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    worker.on('message', (reply: WriterReply) => this.#settle(reply))
    worker.on('error', (error) => this.#fail(worker, error as Error))
    worker.on('exit', (code) => this.#fail(worker, new Error(`the writing thread ended with code ${code}`)))
    return worker
  }

  #settle(reply: WriterReply): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (reply.commits.length > 0) this.#options.onCommits(reply.commits)
    if (!reply.error) {
      this.#lastFailure = undefined
      call?.resolve(reply.value)
      return
    }
    const { code, error } = reply
    if (code === 'storage_unavailable') this.#noteFailure(error)
    call?.reject(code ? new AppError(code, error.message, { cause: error.cause }) : error)
  }

  #noteFailure(cause: Error): void {
    this.#lastFailure = cause
    this.#probing ??= setTimeout(() => {
      this.#probing = undefined
      this.call({ kind: 'probe' }).catch(() => undefined)
    }, PROBE_MS).unref()
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
