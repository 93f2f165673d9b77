/** Writes the events of one shard: groups of requests, one after the other, each under the lock of the shard. */
import type { AppendResult } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Clock } from '../../../lib/clock.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import type { Batch } from '../../postgres/batches/batch.ts'
import type { BatchStore } from '../../postgres/batches/batch-store.ts'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { applyBatch } from './apply-batch.ts'
import type { ArrivalNotices } from './arrival-notices.ts'
import { unpackContent } from './batch-payload.ts'
import type { OriginLookup } from './counted-origins.ts'
import { Deadline } from './deadline.ts'
import { type Drafted, draftBatch, type KnownData } from './draft-batch.ts'
import { Gathering } from './gathering.ts'
import type { GroupLimits } from './group-limits.ts'
import { findKnown } from './known-events.ts'
import { requireReadable } from './require-readable.ts'
import { type Group, takeGroup, WaitingRequest, type WaitingRow } from './waiting-rows.ts'
import type { WriteTimes } from './write-times.ts'

export interface WriterDeps {
  readonly clickHouse: ClickHouse
  readonly batches: BatchStore
  readonly notices: ArrivalNotices
  readonly origins: OriginLookup
  readonly limits: GroupLimits
  readonly times: WriteTimes
  readonly clock: Clock
  /** Whether a group could be written. */
  readonly onOutcome: (isWritten: boolean) => void
}

export class ShardWriter {
  readonly #shard: number
  readonly #deps: WriterDeps
  readonly #waiting: WaitingRequest[] = []
  readonly #gathering = new Gathering()
  #running: Promise<void> | undefined
  /** The last attempt to write failed. */
  #hasFailed = false

  constructor(shard: number, deps: WriterDeps) {
    this.#shard = shard
    this.#deps = deps
  }

  append(rows: readonly WaitingRow[]): Promise<AppendResult> {
    const request = new WaitingRequest(rows)
    this.#waiting.push(request)
    this.#gathering.notify()
    this.#running ??= this.#run()
    return request.result
  }

  /** Resolves when everything accepted so far is stored or refused. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Runs `work` under the lock, after everything that was decided before is applied. */
  whileIdle<T>(work: (held: HeldShard) => Promise<T>): Promise<T> {
    const deadline = this.#deadline()
    return this.#deps.batches.hold(this.#shard, this.#deps.limits.deadlineMs, async (held) => {
      await this.#finishLeft(held, deadline)
      return work(held)
    })
  }

  /** Applies what a server left behind that died, or could not apply it in time. Does nothing while another one is at it. */
  async finishLeft(): Promise<void> {
    await this.#attempt(() =>
      this.#deps.batches.tryHold(this.#shard, (held) => this.#finishLeft(held, this.#deadline())),
    )
  }

  /** Rejects unless everything answers that writing needs, except for the insert itself. */
  async probe(): Promise<void> {
    await this.#requireReadable()
    await this.whileIdle(async () => undefined)
  }

  async #run(): Promise<void> {
    // A turn of the event loop first, so that requests read from their sockets together are written together.
    await nextTurn()
    while (this.#waiting.length > 0) {
      const startedAt = performance.now()
      const { requests, events } = await this.#writeNext()
      // A sender that is alone is not kept waiting.
      if (requests + this.#waiting.length > 1) {
        await this.#gathering.until(() => this.#countWaiting() >= events, performance.now() - startedAt)
      }
    }
    this.#running = undefined
  }

  /** Returns what was written. */
  async #writeNext(): Promise<{ readonly requests: number; readonly events: number }> {
    const group = takeGroup(this.#waiting, this.#deps.limits)
    try {
      const outcomes = await this.#attempt(() => this.#write(group))
      for (const [request, rows] of group.byRequest) request.settle(outcomes, rows)
      this.#deps.onOutcome(true)
      return { requests: group.byRequest.size, events: group.rows.length }
    } catch (error) {
      this.#deps.onOutcome(false)
      // Requests that have waited for a group which could not be written would only wait in vain for the next one.
      const failed = new Set([...group.byRequest.keys(), ...(error instanceof AppError ? this.#waiting.splice(0) : [])])
      for (const request of failed) request.fail(error)
      const left = this.#waiting.filter((request) => !failed.has(request))
      this.#waiting.splice(0, this.#waiting.length, ...left)
      return { requests: 0, events: 0 }
    }
  }

  /** After a failure it is made sure first that the event store answers: one that does not would be waited for with the lock held. */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hasFailed) await this.#requireReadable()
    try {
      const result = await work()
      this.#hasFailed = false
      return result
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }

  #requireReadable(): Promise<void> {
    return requireReadable(this.#deps.clickHouse, this.#shard, this.#deadline())
  }

  #countWaiting(): number {
    return this.#waiting.reduce((sum, { rows }) => sum + rows.length, 0)
  }

  #write({ rows }: Group): Promise<Drafted['outcomes']> {
    const { batches, limits, times } = this.#deps
    const deadline = this.#deadline()
    const stopLock = times.start('lock')
    return batches.hold(this.#shard, limits.deadlineMs, async (held) => {
      stopLock()
      await this.#finishLeft(held, deadline)
      const known = await times.measure('look', () => this.#look(rows, deadline))
      return this.#store(held, rows, known, deadline)
    })
  }

  /** Decides what is new, and applies it. */
  async #store(
    held: HeldShard,
    rows: readonly WaitingRow[],
    known: KnownData,
    deadline: Deadline,
  ): Promise<Drafted['outcomes']> {
    const { times, clickHouse } = this.#deps
    let drafted: Drafted | undefined
    const domains = [...new Set(rows.map(({ row }) => row.domain))]
    const batch = await times.measure('decide', () =>
      held.decide(domains, async (rules) => {
        drafted = await draftBatch(rows, rules, known)
        return drafted.batch
      }),
    )
    if (batch && drafted?.batch) {
      const application = { batch, content: drafted.batch.content, isRepeated: false, deadline, held }
      await times.measure('apply', () => applyBatch(clickHouse, application))
      await this.#finish(held, { ...batch, domainNumbers: drafted.batch.domainNumbers })
    }
    return drafted?.outcomes ?? new Map()
  }

  async #look(rows: readonly WaitingRow[], deadline: Deadline): Promise<KnownData> {
    const { clickHouse, origins, clock } = this.#deps
    const eventRows = rows.map(({ row }) => row)
    const [events, counted] = await Promise.all([
      findKnown(clickHouse, eventRows, deadline),
      origins.find(eventRows, deadline),
    ])
    return { events, origins: counted, nowMs: clock() }
  }

  async #finishLeft(held: HeldShard, deadline: Deadline): Promise<void> {
    for (let batch = await held.findUnfinished(); batch; batch = await held.findUnfinished()) {
      const content = await unpackContent(batch.payload)
      await applyBatch(this.#deps.clickHouse, { batch, content, isRepeated: true, deadline, held })
      await this.#finish(held, batch)
    }
  }

  async #finish(held: HeldShard, batch: Batch): Promise<void> {
    await held.finish(batch, this.#deps.notices.announcementOf(batch.domainNumbers))
    this.#deps.notices.tell(batch.domainNumbers)
  }

  #deadline(): Deadline {
    return new Deadline(this.#deps.limits.deadlineMs)
  }
}
