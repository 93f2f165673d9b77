/** Writes events into ClickHouse: exactly once, counted, and visible to every server when the call resolves. */
import type { AppendResult, AttributedEvent } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Clock } from '../../../lib/clock.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import type { BatchStore } from '../../postgres/batches/batch-store.ts'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import { toEventRow } from '../rows/event-row.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import type { ArrivalNotices } from './arrival-notices.ts'
import { OriginLookup } from './counted-origins.ts'
import { encodeChunk } from './encoded-events.ts'
import { GROUP_LIMITS, type GroupLimits } from './group-limits.ts'
import { ShardWriter } from './shard-writer.ts'
import { partlyStored, type WaitingRow } from './waiting-rows.ts'
import { WriteTimes } from './write-times.ts'

/** Events of a large request that are converted before others get the thread. */
const ROWS_PER_TURN = 200
/** How often batches are looked for that nobody applies. */
const LOOK_AROUND_MS = 1000

export interface EventWriterOptions {
  readonly clickHouse: ClickHouse
  readonly batches: BatchStore
  readonly notices: ArrivalNotices
  readonly clock: Clock
  readonly limits?: Partial<GroupLimits>
  /** Something that is not a refusal happened while nobody waited for it. */
  readonly onError?: (error: unknown) => void
}

export class EventWriter {
  readonly times = new WriteTimes()
  readonly #batches: BatchStore
  readonly #limits: GroupLimits
  readonly #shards: readonly ShardWriter[]
  readonly #onError: (error: unknown) => void
  #waitingEvents = 0
  #waitingBytes = 0
  #isWritable = true
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #lookingAround: Promise<void> | undefined

  constructor({ clickHouse, batches, notices, clock, limits, onError = () => undefined }: EventWriterOptions) {
    this.#batches = batches
    this.#limits = { ...GROUP_LIMITS, ...limits }
    this.#onError = onError
    const onOutcome = (isWritten: boolean) => {
      this.#isWritable = isWritten
    }
    const origins = new OriginLookup(clickHouse)
    const deps = { clickHouse, batches, notices, clock, origins, limits: this.#limits, times: this.times, onOutcome }
    this.#shards = Array.from({ length: clickHouse.shards }, (_, shard) => new ShardWriter(shard, deps))
    this.#schedule()
  }

  /** Numbered from 0. */
  get shards(): number {
    return this.#shards.length
  }

  get queuedEvents(): number {
    return this.#waitingEvents
  }

  /** False after a failure, until something could be written or everything needed for it answers again. */
  get isWritable(): boolean {
    return this.#isWritable
  }

  async append(events: readonly AttributedEvent[]): Promise<AppendResult> {
    if (this.#isClosed)
      throw new AppError('storage_unavailable', 'The server is stopping. Send the request again later.')
    if (this.#waitingEvents > 0 && this.#waitingEvents + events.length > this.#limits.waitingEvents) throw overloaded()
    let bytes = 0
    // Counted from now on: converting takes turns, and others may call meanwhile.
    this.#waitingEvents += events.length
    try {
      const { rows, bytes: encoded } = await prepare(events)
      if (this.#waitingBytes > 0 && this.#waitingBytes + encoded > this.#limits.waitingBytes) throw overloaded()
      bytes = encoded
      this.#waitingBytes += bytes
      return await this.#write(rows)
    } finally {
      this.#waitingEvents -= events.length
      this.#waitingBytes -= bytes
    }
  }

  /** Runs `work` while no server decides about events of the shard, and after all that was decided is stored and counted. */
  whileIdle<T>(shard: number, work: (held: HeldShard) => Promise<T>): Promise<T> {
    return this.#require(shard).whileIdle(work)
  }

  /** What was accepted is stored or refused before it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#lookingAround, ...this.#shards.map((shard) => shard.drain())])
  }

  async #write(rows: readonly WaitingRow[]): Promise<AppendResult> {
    const byShard = Map.groupBy(rows, ({ row }) => row.domain % this.#shards.length)
    const results = await Promise.allSettled([...byShard].map(([shard, own]) => this.#require(shard).append(own)))
    const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const stored = done.reduce((sum, result) => sum + result.stored, 0)
    const failure = results.find((result) => result.status === 'rejected')?.reason as Error | undefined
    if (failure) throw failure instanceof AppError && stored > 0 ? partlyStored(stored, failure) : failure
    const duplicates = done.reduce((sum, result) => sum + result.duplicates, 0)
    const expired = done.flatMap((result) => result.expired).sort((a, b) => a - b)
    return { stored, duplicates, expired }
  }

  #require(shard: number): ShardWriter {
    const writer = this.#shards[shard]
    if (!writer) throw new RangeError(`there is no shard ${shard}`)
    return writer
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#lookingAround = this.#lookAround()
        .catch((error: unknown) => this.#report(error))
        .finally(() => this.#schedule())
    }, LOOK_AROUND_MS).unref()
  }

  /** A batch of a server that died has to be applied, whoever writes; and a failure has to end without somebody trying in vain. */
  async #lookAround(): Promise<void> {
    const waiting = await this.#batches.listWaiting()
    // Each for itself: a shard that cannot be written does not delay the others.
    const finished = await Promise.allSettled(waiting.map(async (shard) => this.#shards[shard]?.finishLeft()))
    const failures = finished.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    for (const failure of failures) this.#report(failure)
    if (this.#isWritable || failures.length > 0) return
    for (const shard of this.#shards) await shard.probe()
    this.#isWritable = true
  }

  /** A refusal is expected while a database is away. */
  #report(error: unknown): void {
    if (!(error instanceof AppError)) this.#onError(error)
  }
}

async function prepare(events: readonly AttributedEvent[]): Promise<{ rows: readonly WaitingRow[]; bytes: number }> {
  const rows: WaitingRow[] = []
  let bytes = 0
  for (let at = 0; at < events.length; at += ROWS_PER_TURN) {
    if (at > 0) await nextTurn()
    const some = events.slice(at, at + ROWS_PER_TURN).map(toEventRow)
    const chunk = encodeChunk(some)
    bytes += chunk.bytes.length
    for (const [place, row] of some.entries()) rows.push({ row, chunk, place, index: at + place })
  }
  return { rows, bytes }
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too many events are waiting to be stored. Send the request again later.')
}
