/**
 * Who may ask ClickHouse next: a server has a limited number of reads at a time, and a tenant a part of them. Owners with waiting
 * reads take turns, so that no tenant waits for the queue of another, and writes always find a connection.
 */
import { AppError } from '../../../lib/app-error.ts'
import { FairQueue } from '../../../lib/turns/fair-queue.ts'
import type { ReadLoad } from '../../storage.ts'

export interface ShareLimits {
  /** Reads that run at a time: of all, and of one tenant. */
  readonly running: number
  readonly runningPerTenant: number
  /** Reads of one tenant, running or waiting. */
  readonly perTenant: number
  readonly altogether: number
}

const LIMITS: ShareLimits = { running: 16, runningPerTenant: 4, perTenant: 32, altogether: 4000 }

/** The service's own work: a share like that of a tenant, but it is not refused for its number. */
const OWN_WORK = ''
/** The queue distributes over workers; the connections to ClickHouse are one. */
const WORKER = 'clickhouse'

/** As in the queries of the log. */
interface Share {
  readonly tenantId?: string | undefined
  readonly isContinuation?: boolean
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly sinceMs: number
  readonly start: () => void
}

export class ReadShares {
  readonly #limits: ShareLimits
  readonly #queue: FairQueue<Waiting, typeof WORKER>
  readonly #ofOwner = new Map<string, number>()
  #reads = 0
  #waitedMs = 0

  constructor(limits: ShareLimits = LIMITS) {
    this.#limits = limits
    this.#queue = new FairQueue({ perWorker: limits.running, perOwner: limits.runningPerTenant })
  }

  get load(): ReadLoad {
    const running = this.#queue.countRunning(WORKER)
    return { running, waiting: this.#reads - running, waitedMs: this.#waitedMs }
  }

  /** Rejects with AppError `too_many_reads` or `overloaded` if it may not even wait, or with what the read rejects with. */
  async run<T>(
    { tenantId: owner = OWN_WORK, isContinuation = false, signal }: Share,
    read: () => Promise<T>,
  ): Promise<T> {
    this.#requireRoom(owner, isContinuation)
    this.#count(owner, 1)
    try {
      await this.#wait(owner, signal)
      try {
        return await read()
      } finally {
        this.#queue.end(WORKER, owner)
        this.#startNext()
      }
    } catch (error) {
      throw signal?.aborted ? callerLeft(error) : error
    } finally {
      this.#count(owner, -1)
    }
  }

  /** Each part is a read of its own: a caller that never asks for the next one occupies nothing. */
  async *runParts<T>(share: Share, parts: AsyncGenerator<T>): AsyncGenerator<T> {
    for (;;) {
      const { value, done } = await this.run(share, () => parts.next())
      if (done) return
      yield value
    }
  }

  #requireRoom(owner: string, isContinuation: boolean): void {
    const { perTenant, altogether } = this.#limits
    const ofOwner = this.#ofOwner.get(owner) ?? 0
    if (owner !== OWN_WORK && !isContinuation && ofOwner >= perTenant) {
      throw new AppError(
        'too_many_reads',
        `${perTenant} reads of this tenant are running or waiting; wait for one to end.`,
      )
    }
    if (this.#reads >= altogether || ofOwner >= altogether / 2) {
      throw new AppError('overloaded', 'Too many reads are waiting; retry later.')
    }
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (this.#queue.remove(owner, waiting)) reject(signal?.reason as Error)
      }
      const start = () => {
        signal?.removeEventListener('abort', leave)
        this.#waitedMs += performance.now() - waiting.sinceMs
        resolve()
      }
      const waiting: Waiting = { sinceMs: performance.now(), start }
      if (signal?.aborted) return reject(signal.reason as Error)
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.add(owner, waiting)
      this.#startNext()
    })
  }

  #startNext(): void {
    for (let next = this.#queue.take(WORKER); next; next = this.#queue.take(WORKER)) next.start()
  }

  #count(owner: string, change: 1 | -1): void {
    this.#reads += change
    const left = (this.#ofOwner.get(owner) ?? 0) + change
    if (left > 0) this.#ofOwner.set(owner, left)
    else this.#ofOwner.delete(owner)
  }
}

/** Nobody receives it: the client is gone. */
function callerLeft(cause: unknown): AppError {
  return new AppError('invalid_request', 'The client closed the connection before the response.', { cause })
}
