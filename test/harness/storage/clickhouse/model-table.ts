/**
 * A table of events in SQLite, which understands the statements of searches, too: what they ask for, and how often, can be tested without a
 * cluster.
 */
import { DatabaseSync } from 'node:sqlite'
import { EVENT_TYPES, type EventType } from '../../../../src/events/event.ts'
import { writeDetails } from '../../../../src/storage/clickhouse/rows/event-details.ts'
import { BudgetError, type ClickHouse } from '../../../../src/storage/clickhouse/server/clickhouse.ts'

export interface ModelEvent {
  readonly timestamp: number
  readonly domain: number
  /** Default: Delivery. */
  readonly type?: EventType
  readonly reply?: string
}

export interface ModelOptions {
  readonly events: readonly ModelEvent[]
  /** A statement that examines more events is stopped. Default: none. */
  readonly rowsMax?: number
  /** How often each event is there. */
  readonly copies?: number
  readonly shards?: number
}

/** Events get their places, from 1 on, as arrival numbers, and from 0 on as ids. */
export function openModelTable({ events, rowsMax = Infinity, copies = 1, shards = 1 }: ModelOptions) {
  const db = new DatabaseSync(':memory:')
  db.function('intDiv', (a, b) => Math.floor(Number(a) / Number(b)))
  db.exec(`CREATE TABLE event (domain, timestamp, arrival, type, id, recipient, sender, subject, response_content, details,
    circumstance, mailing)`)
  db.exec('CREATE TABLE event_hour (domain, hour, n)')
  const insert = db.prepare(`INSERT INTO event VALUES (?, ?, ?, ?, ?, 'r@x.test', '', '', ?, ?, '', '')`)
  db.exec('BEGIN')
  for (const [index, { domain, timestamp, type = 'Delivery', reply = '' }] of events.entries()) {
    for (let copy = 0; copy < copies; copy++) {
      insert.run(domain, timestamp, index + 1, EVENT_TYPES.indexOf(type), String(index), reply, detailsOf(type))
    }
  }
  db.exec('COMMIT')
  db.exec('CREATE INDEX by_time ON event (domain, timestamp, arrival)')
  db.exec('INSERT INTO event_hour SELECT domain, timestamp / 3600, count(*) FROM event GROUP BY 1, 2')
  const statements: string[] = []
  const selectOf: ClickHouse['selectOf'] = async (_domains, toSql) => {
    const sql = toSql({ from: (table) => table, isThere: '1' })
    statements.push(sql)
    if (countExamined(db, sql) > rowsMax) throw new BudgetError('too many rows')
    const rows = db.prepare(sql).all()
    return rows.map((row) => Object.values(row).map(String))
  }
  const clickHouse: Pick<ClickHouse, 'version' | 'shards' | 'selectOf'> = { version: [24, 8], shards, selectOf }
  return { clickHouse: clickHouse as ClickHouse, statements }
}

function detailsOf(type: EventType): string {
  const absent = { code: undefined, present: 0, size: 0, retryAfter: 0, serviceMessageId: '' }
  return writeDetails({ ...absent, type: EVENT_TYPES.indexOf(type) })
}

/** Of a search for events: filters do not spare the server any. */
function countExamined(db: DatabaseSync, sql: string): number {
  const where = /^SELECT domain,.* WHERE (.*?) ORDER BY/s.exec(sql)?.[1]?.replace(/ AND type IN \([^)]*\)/, '')
  return where === undefined ? 0 : Number(db.prepare(`SELECT count(*) AS n FROM event WHERE ${where}`).get()?.['n'])
}

/** Of the JSON texts of events. */
export function idsOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Number((JSON.parse(text) as { readonly id: string }).id))
}
