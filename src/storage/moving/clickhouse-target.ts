/** What a move writes into ClickHouse besides events. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import { encodeChanges, encodeHours, encodeSending } from '../clickhouse/rows/encode-rows.ts'
import type { ClickHouse, TableName } from '../clickhouse/server/clickhouse.ts'
import { inHoursOf } from '../clickhouse/upkeep/day.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import type { CountedHour, CountedSending, ErasedDay } from './erased-counts.ts'

const ROWS_PER_INSERT = 50_000
const INSERT_TIMEOUT_MS = 10_000
const ATTEMPTS = 30
const PAUSE_MS = 1000

const KEEP_ERASED = `
  INSERT INTO erased_count SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])
  ON CONFLICT (day, domain_number) DO UPDATE SET count = excluded.count`

/** When the counts of each domain last changed. Newer times win: those that the move itself has written are the oldest possible. */
export async function keepChanges(clickHouse: ClickHouse, changes: ReadonlyMap<number, number>): Promise<void> {
  const rows = [...changes].map(([domain, changedAtMs]) => ({ domain, changedAtMs }))
  await store(clickHouse, 'domain_change', rows, encodeChanges)
}

/** Adds what is missing to the counts; once that is done, nothing is missing. */
export async function keepErased(clickHouse: ClickHouse, db: Postgres, counted: ErasedDay): Promise<void> {
  const { day, erased, hours, sending } = counted
  const within = `domain IN (${[...erased.keys()].join(', ')}) AND ${inHoursOf(day)}`
  const batch = `moved ${randomUUID()}`
  const inHours = await readCounts(clickHouse, 'event_hour', 'domain, hour, type, provider, classification', within)
  await store(
    clickHouse,
    'event_hour',
    missing<CountedHour>(hours, inHours).map(([domain, hour, type, provider, classification, n]) => {
      return { domain, hour, type, provider, classification, n, batch }
    }),
    encodeHours,
  )
  const inSending = await readCounts(clickHouse, 'sending_hour', 'domain, hour, type, provider, origin', within)
  await store(
    clickHouse,
    'sending_hour',
    missing<CountedSending>(sending, inSending).map(([domain, hour, type, provider, origin, n]) => {
      return { domain, hour, type, provider, origin, n, batch }
    }),
    encodeSending,
  )
  await db.run(KEEP_ERASED, day, [...erased.keys()], [...erased.values()])
}

async function readCounts(clickHouse: ClickHouse, table: TableName, key: string, within: string) {
  const rows = await clickHouse.select(
    `SELECT ${key}, sum(n) FROM ${clickHouse.readFrom(table)} WHERE ${within} GROUP BY ${key}`,
    { mustBeStrict: true },
  )
  return new Map(rows.map((row) => [JSON.stringify(row.slice(0, -1)), Number(row.at(-1))]))
}

/** Rows with what has to be added to each count. */
function missing<Row extends CountedHour | CountedSending>(
  counts: readonly Row[],
  known: ReadonlyMap<string, number>,
): readonly Row[] {
  return counts.flatMap((row) => {
    const left = row[5] - (known.get(JSON.stringify(row.slice(0, -1).map(String))) ?? 0)
    return left === 0 ? [] : [row.with(-1, left) as unknown as Row]
  })
}

/** Each row on the shard of its domain. */
async function store<Row extends { readonly domain: number }>(
  clickHouse: ClickHouse,
  table: TableName,
  rows: readonly Row[],
  encode: (rows: readonly Row[]) => Uint8Array,
): Promise<void> {
  for (let shard = 0; shard < clickHouse.shards; shard++) {
    const own = rows.filter(({ domain }) => domain % clickHouse.shards === shard)
    for (let at = 0; at < own.length; at += ROWS_PER_INSERT) {
      await insert(clickHouse, table, shard, encode(own.slice(at, at + ROWS_PER_INSERT)))
    }
  }
}

async function insert(clickHouse: ClickHouse, table: TableName, shard: number, body: Uint8Array): Promise<void> {
  const token = randomUUID()
  for (let attempt = 1; ; attempt++) {
    try {
      return await clickHouse.insert({ table, body, token, timeoutMs: INSERT_TIMEOUT_MS, shard })
    } catch (error) {
      if (!(error instanceof AppError) || attempt === ATTEMPTS) throw error
      await delay(PAUSE_MS)
    }
  }
}
