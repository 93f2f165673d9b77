/** The serving side of one reading thread. It holds nothing but open files and caches, so one that dies is simply replaced. */
import { Worker } from 'node:worker_threads'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { ReaderNotice, ReaderReply } from './read-protocol.ts'

/** Enough for a page. */
const YOUNG_MB = 8

export interface ReadingWorkerOptions {
  /** The module that the thread runs. */
  readonly module: URL
  readonly workerData: unknown
  readonly onReady: (worker: ReadingWorker) => void
  readonly onReply: (reply: ReaderReply) => void
  readonly onNotice: (worker: ReadingWorker, notice: ReaderNotice) => void
  /** Called once, when the thread has ended. */
  readonly onEnd: (worker: ReadingWorker, cause: Error) => void
}

export class ReadingWorker {
  readonly #worker: Worker
  #isReady = false

  /** Throws if the system refuses another thread. */
  constructor({ module, workerData, onReady, onReply, onNotice, onEnd }: ReadingWorkerOptions) {
    this.#worker = new Worker(module, { workerData, resourceLimits: youngGenerationOf(YOUNG_MB) })
    let cause: Error | undefined
    this.#worker.on('message', (message: ReaderReply | ReaderNotice | 'ready') => {
      if (message !== 'ready') return 'id' in message ? onReply(message) : onNotice(this, message)
      this.#isReady = true
      onReady(this)
    })
    this.#worker.on('error', (error) => {
      cause = error as Error
    })
    this.#worker.on('exit', (code) => onEnd(this, cause ?? new Error(`the reading thread ended with code ${code}`)))
  }

  /** False while it is starting; messages wait until then. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** `json`: a ReaderMessage. */
  post(json: string): void {
    this.#worker.postMessage(json)
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}
