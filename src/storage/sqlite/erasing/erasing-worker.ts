/** The serving side of the erasing thread: started for the first call, ended when there was none for a while. */
import { Worker } from 'node:worker_threads'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import { storageUnavailable } from '../database/storage-failure.ts'
import type { ErasingCall, ErasingReply } from './erasing-protocol.ts'

/** Between the steps of a job there are moments without a call. */
const IDLE_MS = 10_000

export class ErasingWorker {
  readonly #dataDir: string
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #worker: Worker | undefined
  #ending: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  call<T>(call: ErasingCall): Promise<T> {
    clearTimeout(this.#ending)
    const id = ++this.#lastId
    const pending = Promise.withResolvers<unknown>()
    return Promise.try(() => {
      this.#worker ??= this.#start()
      this.#pending.set(id, pending)
      this.#worker.postMessage({ id, call })
      return pending.promise as Promise<T>
    }).finally(() => {
      clearTimeout(this.#ending)
      this.#ending = setTimeout(() => void this.close(), IDLE_MS).unref()
    })
  }

  /** Waits for nothing: SQLite undoes what was not committed. */
  async close(): Promise<void> {
    clearTimeout(this.#ending)
    const worker = this.#worker
    if (worker) this.#fail(worker, new Error('the erasing thread was ended'))
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./erasing-thread.ts', import.meta.url), {
      workerData: { dataDir: this.#dataDir },
      resourceLimits: youngGenerationOf(),
    })
    worker.on('message', (reply: ErasingReply) => this.#settle(reply))
    worker.on('error', (error) => this.#fail(worker, error as Error))
    worker.on('exit', (code) => this.#fail(worker, new Error(`the erasing thread ended with code ${code}`)))
    return worker
  }

  #settle(reply: ErasingReply): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (!reply.error) call?.resolve(reply.value)
    else call?.reject(reply.isStorage ? storageUnavailable(reply.error) : reply.error)
  }

  #fail(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const call of this.#pending.values()) call.reject(storageUnavailable(cause))
    this.#pending.clear()
  }
}
