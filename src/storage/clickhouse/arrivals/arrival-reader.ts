/** Follows the log: events in the order in which they were stored, after a position. */
import type { ArrivalPage, ArrivalPosition, ArrivalQuery } from '../../../events/log/event-log.ts'
import { replyTestOf } from '../../../events/replies/reply-filter.ts'
import { literal } from '../literals.ts'
import { domainCondition, toConditions } from '../reading/conditions.ts'
import { KnownSpans } from '../reading/search-spans.ts'
import { SearchTime } from '../reading/search-time.ts'
import { contentOf, EventTexts, eventColumns } from '../rows/event-text.ts'
import { BudgetError, type ClickHouse, type ReadSource } from '../server/clickhouse.ts'
import { eventFilter } from '../server/features.ts'
import {
  type ArrivalCursor,
  type ArrivalHorizon,
  advance,
  formatCursor,
  parseCursor,
  toCursor,
} from './arrival-cursor.ts'

/**
 * Numbers of the first search, unless it is known what sufficed the last time: the server reads and sorts all that it finds. A search that
 * does not suffice is followed by a longer one, one that takes too long by a shorter one.
 */
const FIRST_NUMBERS = 50_000
const GROWTH = 6

export interface ArrivalReaderOptions {
  readonly clickHouse: ClickHouse
  readonly serviceMessageIdField: string
  readonly readHorizon: () => Promise<ArrivalHorizon>
  /** From which second on events are retained: what is stored before it is left out. Default: all. */
  readonly retainedFrom?: () => Promise<number>
  /** Settings of ClickHouse for searches, such as a limit on the rows that one may read. */
  readonly settings?: Readonly<Record<string, number>>
}

export class ArrivalReader {
  readonly #options: ArrivalReaderOptions
  /** In numbers instead of seconds. */
  readonly #spans = new KnownSpans(FIRST_NUMBERS)

  constructor(options: ArrivalReaderOptions) {
    this.#options = options
  }

  async last(): Promise<ArrivalPosition> {
    return formatCursor(await this.#readEnd())
  }

  async list(query: ArrivalQuery): Promise<ArrivalPage> {
    const { clickHouse, serviceMessageIdField, retainedFrom = async () => 0 } = this.#options
    const { after, limit } = query
    const start = parseCursor(after, clickHouse.shards)
    const time = new SearchTime(query.budgetMs)
    const texts = new EventTexts(serviceMessageIdField, query.domains, query.shown)
    const isReplyWanted = replyTestOf(query.filters)
    // Read first: what is below it is stored, whatever happens meanwhile.
    const end = await this.#readEnd()
    const retained = `timestamp >= ${literal(await retainedFrom())}`
    if (query.domains.length === 0) return { events: [], position: formatCursor(max(start, end)), hasMore: false }
    const events: ArrivalPage['events'][number][] = []
    let cursor = start
    let numbers = this.#spans.find(query, limit + 1)
    for (;;) {
      const behind = cursor.filter((from, shard) => from < (end[shard] ?? 0))
      if (behind.length === 0) return { events, position: formatCursor(max(cursor, end)), hasMore: false }
      if (time.isUsedUp && cursor !== start) return { events, position: formatCursor(cursor), hasMore: true }
      const first = Math.min(...behind)
      const upTo = first + numbers
      const wanted = limit + 1 - events.length
      const bounds = { from: cursor, to: advance(cursor, upTo, end), retained }
      const rows = await this.#search(query, bounds, wanted, time)
      if (!rows) {
        // Fewer numbers than events are wanted would be searched for in nearly the same time: a stream that is behind would stay behind.
        numbers = Math.max(Math.min(numbers, wanted), Math.ceil(numbers / GROWTH))
        continue
      }
      const lastRow = rows.length === wanted ? rows.at(-1) : undefined
      const examined = (lastRow ? texts.read(lastRow).arrival + 1 : upTo) - first
      if (first + examined <= Math.max(...end)) this.#spans.learn(query, examined / Math.max(1, rows.length))
      // Numbers begin with 1.
      let last = 0
      for (const row of rows) {
        const { arrival, text } = texts.read(row)
        // Events are never stored twice, but a backup may have been restored over them.
        if (arrival === last) continue
        last = arrival
        if (isReplyWanted?.(contentOf(row)) === false) continue
        if (events.length === limit) return { events, position: events.at(-1)?.position ?? after, hasMore: true }
        events.push({ text, position: formatCursor(advance(cursor, arrival + 1, end)) })
      }
      cursor = advance(cursor, rows.length === wanted ? last + 1 : upTo, end)
      numbers *= GROWTH
    }
  }

  async #readEnd(): Promise<ArrivalCursor> {
    return toCursor(await this.#options.readHorizon(), this.#options.clickHouse.shards)
  }

  /** Undefined if it took too long. */
  async #search(
    { domains, filters, shown = 'interface' }: ArrivalQuery,
    { retained, ...bounds }: Bounds & { readonly retained: string },
    limit: number,
    time: SearchTime,
  ): Promise<readonly (readonly string[])[] | undefined> {
    const { clickHouse, settings } = this.#options
    const numbers = domains.map(({ number }) => number)
    const where = [boundsCondition(numbers, bounds), retained, ...toConditions(filters)].join(' AND ')
    const toSql = ({ from, isThere }: ReadSource) => `SELECT ${eventColumns(shown)} FROM ${from('event')}
      ${eventFilter(clickHouse.version)} ${where} AND ${isThere}
      ORDER BY arrival LIMIT ${literal(limit)}`
    try {
      // A replica that lacks events would have them left out for good: the position is after them.
      const options = { mustBeStrict: true, isOfWriting: false, budgetMs: time.next(false) }
      const rows = await clickHouse.selectOf(numbers, toSql, { ...options, ...(settings && { settings }) })
      time.succeed()
      return rows
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error
      time.fail(error)
      return undefined
    }
  }
}

/** By shard: `from` included, `to` not. */
interface Bounds {
  readonly from: ArrivalCursor
  readonly to: ArrivalCursor
}

/** Usually the bounds are the same for all shards. */
function boundsCondition(domains: readonly number[], { from, to }: Bounds): string {
  const groups = new Map<string, number[]>()
  for (const domain of domains) {
    // As Distributed chooses the shard.
    const shard = domain % from.length
    const bounds = `arrival >= ${literal(from[shard] ?? 0)} AND arrival < ${literal(to[shard] ?? 0)}`
    const group = groups.get(bounds)
    if (group) group.push(domain)
    else groups.set(bounds, [domain])
  }
  return `(${[...groups].map(([bounds, own]) => `${domainCondition(own)} AND ${bounds}`).join(' OR ')})`
}

/** A position of another time may be ahead of this one. */
function max(a: ArrivalCursor, b: ArrivalCursor): ArrivalCursor {
  return a.map((number, shard) => Math.max(number, b[shard] ?? 0))
}
