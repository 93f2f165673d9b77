/**
 * The reading side of the ClickHouse engine with the plainest writer: one process, which remembers what it has stored. For tests of
 * reads, without PostgreSQL.
 */

import { sampleDeliveryTimes } from '../../../../src/events/delivery-times/sample-delivery-times.ts'
import type { ArrivalListener, AttributedEvent } from '../../../../src/events/log/event-log.ts'
import { countReplies } from '../../../../src/events/replies/count-replies.ts'
import { ArrivalReader } from '../../../../src/storage/clickhouse/arrivals/arrival-reader.ts'
import { countDomains } from '../../../../src/storage/clickhouse/counts/domain-counts.ts'
import { listHourCounts } from '../../../../src/storage/clickhouse/counts/hour-counts.ts'
import { countMatches } from '../../../../src/storage/clickhouse/counts/match-counts.ts'
import { findReceptions, SEARCHED_PARTS } from '../../../../src/storage/clickhouse/reading/find-receptions.ts'
import { LogReader } from '../../../../src/storage/clickhouse/reading/log-reader.ts'
import {
  countHours,
  countSending,
  listChanges,
  originsKey,
} from '../../../../src/storage/clickhouse/rows/count-rows.ts'
import {
  encodeChanges,
  encodeEvents,
  encodeHours,
  encodeSending,
} from '../../../../src/storage/clickhouse/rows/encode-rows.ts'
import { type EventRow, toEventRow } from '../../../../src/storage/clickhouse/rows/event-row.ts'
import type { ClickHouse, TableName } from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import type { TestedLog } from '../../../../src/storage/contract/log-scene.ts'
import type { SharedCluster } from './cluster.ts'
import { NO_TOTALS } from './no-totals.ts'

const TIMEOUT_MS = 60_000

export interface PlainLog extends TestedLog, AsyncDisposable {
  readonly clickHouse: ClickHouse
  /** Stores the rows with these numbers, whatever is stored already. */
  insertEvents(rows: readonly EventRow[], firstArrival: number): Promise<void>
  /** Batches that are decided and not yet applied, by shard: events from that number on are not shown. */
  readonly unfinished: Map<number, number>
}

/** In a new database. `settings`: those of searches. */
export async function openPlainLog(
  cluster: Pick<SharedCluster, 'openDatabase'>,
  settings: Readonly<Record<string, number>> = {},
): Promise<PlainLog> {
  const clickHouse = await cluster.openDatabase()
  const known = new Set<string>()
  const origins = new Map<string, Set<string>>()
  const listeners = new Set<ArrivalListener>()
  const unfinished = new Map<number, number>()
  let next = 1
  const serviceMessageIdField = 'service_message_id'
  const reader = new LogReader({ clickHouse, serviceMessageIdField, settings })
  const arrivals = new ArrivalReader({
    clickHouse,
    serviceMessageIdField,
    settings,
    readHorizon: async () => ({ next, unfinished }),
  })
  const insert = (table: TableName, body: Uint8Array) =>
    clickHouse.insert({ table, body, token: `${table}-${next}`, timeoutMs: TIMEOUT_MS, shard: 0 })
  const notNeeded = () => Promise.reject(new Error('not a part of the reading side'))

  async function append(events: readonly AttributedEvent[]) {
    const rows = events.map(toEventRow).filter(({ domain, event, key }) => {
      const name = `${domain} ${event.timestamp} ${key}`
      return !known.has(name) && known.add(name)
    })
    const first = next
    next += rows.length
    if (rows.length > 0) await store(rows, first)
    if (rows.length > 0) for (const listener of listeners) listener(new Set(rows.map(({ domain }) => domain)))
    return { stored: rows.length, duplicates: events.length - rows.length, expired: [] }
  }

  async function store(rows: readonly EventRow[], first: number): Promise<void> {
    await insert('event', encodeEvents(rows, first))
    await insert('event_hour', encodeHours(countHours(rows, String(first))))
    const sending = countSending(rows, origins, String(first))
    for (const { domain, hour, origin } of sending) {
      const key = originsKey(domain, hour * 3600)
      if (origin !== '') origins.set(key, (origins.get(key) ?? new Set()).add(origin))
    }
    if (sending.length > 0) await insert('sending_hour', encodeSending(sending))
    const changes = listChanges(rows, Date.now())
    if (changes.length > 0) await insert('domain_change', encodeChanges(changes))
  }

  return {
    clickHouse,
    unfinished,
    insertEvents: (rows, first) => insert('event', encodeEvents(rows, first)),
    append,
    list: (query) => reader.list(query),
    listMessage: (query) => reader.listMessage(query),
    replies: (query) => countReplies((page) => reader.list(page), query),
    deliveryTimes: (query) =>
      sampleDeliveryTimes(
        (page) => reader.list(page),
        (deliveries, budgetMs) => findReceptions({ clickHouse, retainedFrom: 0 }, deliveries, budgetMs),
        query,
        SEARCHED_PARTS,
      ),
    count: (query) => countMatches({ clickHouse, list: (page) => reader.list(page), retainedFrom: 0 }, query),
    arrivals: {
      last: () => arrivals.last(),
      list: (query) => arrivals.list(query),
      onArrival(listener) {
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
    },
    counts: (domainNumbers) => countDomains(clickHouse, NO_TOTALS, domainNumbers),
    series: (query) => listHourCounts(clickHouse, query),
    async findNewestTimestamp() {
      const [row] = await clickHouse.select(`SELECT max(timestamp), count() FROM ${clickHouse.readFrom('event')}`)
      return row?.[1] === '0' ? undefined : Number(row?.[0])
    },
    removeBefore: notNeeded,
    erase: notNeeded,
    [Symbol.asyncDispose]: () => clickHouse.close(),
  }
}
