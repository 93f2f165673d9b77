/**
 * The reading threads, seen from the serving thread. Each tenant has a share: every thread has at most one long read of it, and
 * two short ones, the second of which waits there for the first; and reads of different tenants take turns there slice by slice. Further reads of the tenant wait here.
 */
import { AppError } from '../../../lib/app-error.ts'
import { FairQueue } from '../../../lib/turns/fair-queue.ts'
import type { DayTrouble, ReadLoad } from '../../storage.ts'
import { readingInterrupted } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { LogReads, LogReadsOptions } from './log-reads.ts'
import type { ReadCall, ReaderMessage, ReaderNotice, ReaderReply, SingleRead } from './read-protocol.ts'
import { ReadingWorker } from './reading-worker.ts'

export interface ReadShare {
  /** Absent for the service's own work, which is one share without a limit of its own. */
  readonly tenantId?: string | undefined
  /** It can be expected to end within a slice or two. */
  readonly isShort: boolean
  /** Part of a response that has begun: it may wait, but is not refused because of the tenant's other reads. */
  readonly isContinuation?: boolean | undefined
  /** Aborts when the caller has gone away. */
  readonly signal?: AbortSignal | undefined
}

export interface ReadLimits {
  /** Reads of one tenant, running or waiting. */
  readonly perTenant: number
  readonly altogether: number
  /** Short reads, and long reads, that run on one thread at a time: each holds its page in memory. */
  readonly perThread: number
}

export const READ_LIMITS: ReadLimits = { perTenant: 32, altogether: 4000, perThread: 16 }

export interface ReadPoolOptions {
  /** Maximum number of threads; they are started when they are needed. */
  readonly threads: number
  readonly workerData: LogReadsOptions
  readonly limits?: ReadLimits
  /** Called when a thread has found the history index damaged. */
  readonly onHistoryLost?: () => void
  readonly module?: URL
  /** A thread has found a day to be damaged: the others have to be told. */
  readonly onTrouble?: (trouble: DayTrouble) => void
  /** Days that a new thread leaves out. */
  readonly setAside?: () => readonly Day[]
}

const MODULE = new URL('./reading-thread.ts', import.meta.url)
const OWN_WORK = ''
/**
 * Of one tenant on one thread. With one alone, the thread would sleep until the serving thread has taken the answer and sent
 * the next, and waking it takes half as long as a short read.
 */
const SHORT_READS = 2

interface Batch {
  readonly value: unknown
  readonly isLast: boolean
}

interface Read {
  readonly id: number
  readonly call: ReadCall
  readonly owner: string
  readonly queue: FairQueue<Read, ReadingWorker>
  readonly sinceMs: number
  /** Undefined while it waits. */
  worker: ReadingWorker | undefined
  reply: PromiseWithResolvers<Batch>
  error: Error | undefined
}

interface Closing {
  readonly worker: ReadingWorker
  readonly day: Day
  readonly resolve: () => void
}

export class ReadPool {
  readonly #options: ReadPoolOptions
  readonly #limits: ReadLimits
  readonly #queues: { readonly short: FairQueue<Read, ReadingWorker>; readonly long: FairQueue<Read, ReadingWorker> }
  readonly #workers = new Set<ReadingWorker>()
  /** Running or waiting. */
  readonly #reads = new Map<number, Read>()
  readonly #ofOwner = new Map<string, number>()
  /** Threads that were asked to close a day. */
  readonly #closing = new Set<Closing>()
  #lastId = 0
  #running = 0
  #waitedMs = 0
  #isEnding = false
  #isClosed = false

  constructor(options: ReadPoolOptions) {
    this.#options = options
    this.#limits = options.limits ?? READ_LIMITS
    const perWorker = this.#limits.perThread
    this.#queues = {
      short: new FairQueue({ perWorker, perOwner: SHORT_READS }),
      long: new FairQueue({ perWorker, perOwner: 1 }),
    }
  }

  get load(): ReadLoad {
    return { running: this.#running, waiting: this.#reads.size - this.#running, waitedMs: this.#waitedMs }
  }

  /** Rejects with AppError `too_many_reads`, `overloaded` or `storage_unavailable`, or with what the read itself throws. */
  async read<Name extends SingleRead>(
    share: ReadShare,
    name: Name,
    ...values: Parameters<LogReads[Name]>
  ): Promise<Awaited<ReturnType<LogReads[Name]>>> {
    const { signal } = share
    if (signal?.aborted) throw callerLeft()
    const read = this.#add(share, { name, values })
    const leave = () => this.#leave(read)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      const { value } = await read.reply.promise
      return value as Awaited<ReturnType<LogReads[Name]>>
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Reads the next batch when the one before has been taken. */
  async *series(share: ReadShare, ...values: Parameters<LogReads['series']>): ReturnType<LogReads['series']> {
    const read = this.#add(share, { name: 'series', values })
    try {
      for (;;) {
        const { value, isLast } = await read.reply.promise
        if (isLast) return
        yield value as Awaited<ReturnType<ReturnType<LogReads['series']>['next']>>['value']
        // The thread may have died while the batch was used.
        if (read.error) throw read.error
        read.reply = Promise.withResolvers()
        if (read.worker) post(read.worker, { kind: 'more', id: read.id })
      }
    } finally {
      this.#abandon(read)
    }
  }

  /** To every thread, before any read that is asked for later. */
  announce(message: ReaderMessage): void {
    if (this.#workers.size === 0) return
    const json = JSON.stringify(message)
    for (const worker of this.#workers) worker.post(json)
  }

  /** Resolves when no thread has the file of the day open. */
  async closeDay(day: Day): Promise<void> {
    const json = JSON.stringify({ kind: 'setAside', day, isAsked: true } satisfies ReaderMessage)
    const closing = [...this.#workers].map((worker) => {
      const closed = Promise.withResolvers<void>()
      this.#closing.add({ worker, day, resolve: closed.resolve })
      worker.post(json)
      return closed.promise
    })
    await Promise.all(closing)
  }

  /**
   * Before the service closes: long reads of tenants end, running and waiting ones, and no others begin. Short ones, and the service's
   * own, are completed.
   */
  endLong(): void {
    this.#isEnding = true
    for (const read of this.#reads.values()) {
      if (read.queue !== this.#queues.long || read.owner === OWN_WORK) continue
      read.error = isClosing()
      read.reply.reject(read.error)
      this.#abandon(read)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = readingInterrupted(new Error('the storage is closed'))
    for (const read of this.#reads.values()) this.#end(read, closed)
    // Not asked to end: a thread that hangs would not.
    await Promise.all([...this.#workers].map((worker) => worker.terminate()))
  }

  #add({ tenantId = OWN_WORK, isShort, isContinuation = false }: ReadShare, call: ReadCall): Read {
    if (this.#isClosed) throw readingInterrupted(new Error('the storage is closed'))
    if (this.#isEnding && !isShort && tenantId !== OWN_WORK) throw isClosing()
    const ofOwner = this.#ofOwner.get(tenantId) ?? 0
    const { perTenant, altogether } = this.#limits
    if (tenantId !== OWN_WORK && !isContinuation && ofOwner >= perTenant) {
      throw new AppError(
        'too_many_reads',
        `${perTenant} reads of this tenant are running or waiting; wait for one to end.`,
      )
    }
    // Nor may one of them, or the service's own work, fill it alone.
    if (this.#reads.size >= altogether || ofOwner >= altogether / 2)
      throw new AppError('overloaded', 'Too many reads are waiting; retry later.')
    const queue = isShort ? this.#queues.short : this.#queues.long
    const reply = Promise.withResolvers<Batch>()
    const sinceMs = performance.now()
    const read: Read = {
      id: ++this.#lastId,
      call,
      owner: tenantId,
      queue,
      sinceMs,
      worker: undefined,
      reply,
      error: undefined,
    }
    this.#reads.set(read.id, read)
    this.#ofOwner.set(tenantId, ofOwner + 1)
    queue.add(tenantId, read)
    this.#grow()
    // With one thread, or an idle one, there is nothing to choose.
    const [first] = this.#workers
    if (first && this.#countRunning(first) === 0) this.#startNext(first, queue)
    else for (const worker of this.#byLoad()) if (this.#startNext(worker, queue)) break
    return read
  }

  /** Starts another thread if none is idle; until it is ready, the others share the work. */
  #grow(): void {
    if (this.#workers.size >= this.#options.threads) return
    for (const worker of this.#workers) if (!worker.isReady || this.#countRunning(worker) === 0) return
    try {
      this.#workers.add(this.#start())
    } catch (error) {
      // The system may refuse another thread.
      if (this.#workers.size > 0) return
      for (const read of this.#reads.values()) this.#end(read, readingInterrupted(error))
    }
  }

  #start(): ReadingWorker {
    const worker = new ReadingWorker({
      module: this.#options.module ?? MODULE,
      workerData: this.#options.workerData,
      onReady: (worker) => this.#startAll(worker),
      onReply: (reply) => this.#settle(reply),
      onNotice: (worker, notice) => this.#notice(worker, notice),
      onEnd: (worker, cause) => this.#replace(worker, cause),
    })
    for (const day of this.#options.setAside?.() ?? []) post(worker, { kind: 'setAside', day })
    return worker
  }

  #notice(worker: ReadingWorker, notice: ReaderNotice): void {
    if ('trouble' in notice) this.#options.onTrouble?.(notice.trouble)
    else if ('isHistoryLost' in notice) this.#options.onHistoryLost?.()
    else this.#confirmClosed(worker, notice.closedDay)
  }

  /** Of all days if none is given: a thread that has ended has nothing open. */
  #confirmClosed(worker: ReadingWorker, day?: Day): void {
    for (const closing of this.#closing) {
      if (closing.worker !== worker || (day !== undefined && closing.day !== day)) continue
      this.#closing.delete(closing)
      closing.resolve()
    }
  }

  /** The least busy first; those that are starting last. */
  #byLoad(): readonly ReadingWorker[] {
    const loadOf = (worker: ReadingWorker) =>
      this.#countRunning(worker) + (worker.isReady ? 0 : this.#limits.altogether)
    return [...this.#workers].sort((a, b) => loadOf(a) - loadOf(b))
  }

  #countRunning(worker: ReadingWorker): number {
    return this.#queues.short.countRunning(worker) + this.#queues.long.countRunning(worker)
  }

  #startAll(worker: ReadingWorker): void {
    for (const queue of [this.#queues.short, this.#queues.long]) while (this.#startNext(worker, queue));
  }

  #startNext(worker: ReadingWorker, queue: Read['queue']): boolean {
    const read = queue.take(worker)
    if (!read) return false
    read.worker = worker
    this.#running++
    this.#waitedMs += performance.now() - read.sinceMs
    post(worker, { kind: 'read', id: read.id, call: read.call })
    return true
  }

  #settle(reply: ReaderReply): void {
    const read = this.#reads.get(reply.id)
    if (!read) return
    if (reply.error) {
      this.#end(read, toError(reply))
      return
    }
    read.reply.resolve(reply)
    if (reply.isLast) this.#end(read)
  }

  #end(read: Read, error?: Error): void {
    const { id, owner, queue, worker } = read
    if (!this.#reads.delete(id)) return
    const ofOwner = (this.#ofOwner.get(owner) ?? 1) - 1
    if (ofOwner === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, ofOwner)
    read.error = error
    if (error) read.reply.reject(error)
    if (!worker) return void queue.remove(owner, read)
    this.#running--
    queue.end(worker, owner)
    if (!this.#isClosed && this.#workers.has(worker)) this.#startNext(worker, queue)
  }

  #leave(read: Read): void {
    read.reply.reject(callerLeft())
    this.#abandon(read)
  }

  /** A running read stays on its thread until that has confirmed its end. */
  #abandon(read: Read): void {
    if (!this.#reads.has(read.id)) return
    // Nobody waits for its end.
    read.reply.promise.catch(() => undefined)
    if (read.worker) post(read.worker, { kind: 'stop', id: read.id })
    else this.#end(read)
  }

  #replace(worker: ReadingWorker, cause: Error): void {
    this.#workers.delete(worker)
    this.#confirmClosed(worker)
    if (this.#isClosed) return
    for (const read of this.#reads.values()) if (read.worker === worker) this.#end(read, readingInterrupted(cause))
    if (this.#reads.size === 0) return
    // Each attempt ends some of the waiting reads, so this comes to an end even if every thread dies.
    this.#grow()
    for (const other of this.#byLoad()) this.#startAll(other)
  }
}

/** Nobody receives it: the client is gone. */
function callerLeft(): AppError {
  return new AppError('invalid_request', 'The client closed the connection before the response.')
}

function isClosing(): AppError {
  return readingInterrupted(new Error('the server is closing'))
}

function post(worker: ReadingWorker, message: ReaderMessage): void {
  worker.post(JSON.stringify(message))
}

function toError(reply: Extract<ReaderReply, { readonly error: Error }>): Error {
  const { error, code, errcode } = reply
  if (code) return new AppError(code, error.message, { cause: error.cause })
  return errcode === undefined ? error : Object.assign(error, { errcode })
}
