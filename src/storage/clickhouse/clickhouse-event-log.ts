/** The event log in ClickHouse, with its decisions in PostgreSQL: what is written, read and removed, behind the ports. */
import { sampleDeliveryTimes } from '../../events/delivery-times/sample-delivery-times.ts'
import type { EventLog } from '../../events/log/event-log.ts'
import { countReplies } from '../../events/replies/count-replies.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import type { HourCount, SeriesQuery } from '../../stats/series.ts'
import { BatchStore } from '../postgres/batches/batch-store.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import type { StorageHealth } from '../storage.ts'
import { ArrivalReader } from './arrivals/arrival-reader.ts'
import { ReadAhead } from './arrivals/read-ahead.ts'
import { countDomains } from './counts/domain-counts.ts'
import { listHourCounts } from './counts/hour-counts.ts'
import { countMatches } from './counts/match-counts.ts'
import { Eraser } from './erasing/eraser.ts'
import { DeliveredHours } from './reading/delivered-hours.ts'
import { findReceptions, SEARCHED_PARTS } from './reading/find-receptions.ts'
import { LogReader } from './reading/log-reader.ts'
import { findNewestTimestamp } from './reading/newest-timestamp.ts'
import { ReadShares } from './reading/read-shares.ts'
import type { ClickHouse } from './server/clickhouse.ts'
import { removeBefore } from './upkeep/remove-before.ts'
import { RetainedTime } from './upkeep/retained-time.ts'
import type { ShardAccess } from './upkeep/shard-access.ts'
import { Totals } from './upkeep/totals.ts'
import { openUpkeep, type Upkeep } from './upkeep/upkeep.ts'
import { guardNumbers } from './writing/arrival-guard.ts'
import { ArrivalNotices } from './writing/arrival-notices.ts'
import { EventWriter } from './writing/event-writer.ts'
import type { GroupLimits } from './writing/group-limits.ts'

const SECONDS_PER_HOUR = 3600

export interface ClickHouseLogOptions {
  /** Both are closed by the caller, after the log. */
  readonly clickHouse: ClickHouse
  readonly db: Postgres
  readonly clock: Clock
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
  /** A bug that no caller is told of. */
  readonly onError?: (error: unknown) => void
  /** How long PostgreSQL waits for a word of a server that holds a shard. */
  readonly silenceMs?: number
  readonly limits?: Partial<GroupLimits>
}

export interface ClickHouseEventLog extends EventLog, EventCounts {
  /** Events accepted from callers and not yet stored, and whether the last ones could be stored. */
  readonly health: StorageHealth
  readonly upkeep: Upkeep
  readonly writer: EventWriter
  readonly batches: BatchStore
  /** What was accepted is stored or refused before it resolves. */
  close(): Promise<void>
}

export async function openClickHouseLog(options: ClickHouseLogOptions): Promise<ClickHouseEventLog> {
  const { clickHouse, db, clock, serviceMessageIdField, onError, silenceMs, limits } = options
  const batches = new BatchStore({
    db,
    examine: (session) => guardNumbers(session, clickHouse),
    ...(silenceMs !== undefined && { silenceMs }),
  })
  const notices = new ArrivalNotices(db)
  await notices.open()
  const writer = new EventWriter({
    clickHouse,
    batches,
    notices,
    clock,
    ...(limits && { limits }),
    ...(onError && { onError }),
  })
  const access: ShardAccess = {
    shards: clickHouse.shards,
    whileIdle: (shard, work) => writer.whileIdle(shard, work),
  }
  const retained = new RetainedTime(db)
  const reading = { clickHouse, serviceMessageIdField, retainedFrom: () => retained.from() }
  const reader = new LogReader(reading)
  const arrivals = new ArrivalReader({ ...reading, readHorizon: () => batches.readHorizon() })
  const ahead = new ReadAhead((query) => shares.run(query, () => arrivals.list(query)))
  const totals = new Totals(db)
  const shares = new ReadShares()
  const eraser = new Eraser({ db, clickHouse, batches, access })
  const upkeep = openUpkeep({ db, clickHouse, access, times: writer.times })
  return {
    writer,
    batches,
    upkeep,
    get health() {
      const { isWritable: writable, queuedEvents } = writer
      return { writable, queuedEvents, unreachable: upkeep.unreachable, reads: shares.load }
    },
    append: (events) => writer.append(events),
    list: (query) => shares.run(query, () => reader.list(query)),
    listMessage: (query) => shares.run(query, () => reader.listMessage(query)),
    replies: (query) => countReplies((page) => shares.run(page, () => reader.list(page)), query),
    async deliveryTimes(query) {
      const { tenantId } = query
      const hours = await shares.run({ tenantId }, () => DeliveredHours.read(clickHouse, query))
      return sampleDeliveryTimes(
        async (page) => (hours.areIn(page.window) ? shares.run(page, () => reader.list(page)) : { events: [] }),
        (deliveries, budgetMs) =>
          shares.run({ tenantId, isContinuation: true }, async () =>
            findReceptions({ clickHouse, retainedFrom: await retained.from() }, deliveries, budgetMs),
          ),
        query,
        SEARCHED_PARTS,
      )
    },
    count: (query) =>
      shares.run(query, async () => {
        const retainedFrom = await retained.from()
        return countMatches({ clickHouse, list: (page) => reader.list(page), retainedFrom }, query)
      }),
    arrivals: {
      last: () => arrivals.last(),
      list: (query) => ahead.list(query),
      onArrival: (listener) => notices.onArrival(listener),
    },
    removeBefore: (timeMs) =>
      removeBefore({ db, clickHouse, access, onFolded: () => retained.forget() }, timeMs).finally(() => ahead.forget()),
    erase: (erasure, after) => eraser.erase(erasure, after).finally(() => ahead.forget()),
    findNewestTimestamp: async () => findNewestTimestamp(clickHouse, await retained.from()),
    counts: (domainNumbers, tenantId) =>
      shares.run({ tenantId }, () => countDomains(clickHouse, totals, domainNumbers)),
    series: (query) => shares.runParts(query, listRetained(query)),
    async close() {
      await Promise.all([writer.close(), upkeep.close()])
      notices.close()
      batches.close()
    },
  }

  async function* listRetained(query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
    const firstHour = (await retained.from()) / SECONDS_PER_HOUR
    yield* listHourCounts(clickHouse, { ...query, fromHour: Math.max(query.fromHour, firstHour) })
  }
}
