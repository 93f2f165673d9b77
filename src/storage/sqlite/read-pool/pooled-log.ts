/** The log as the reading threads see it, asked from the serving thread. Only the newest pages are answered here. */
import type { DeliveryTimes, DeliveryTimesQuery } from '../../../events/delivery-times/sample-delivery-times.ts'
import type { ArrivalPage, ArrivalPosition, ArrivalQuery } from '../../../events/log/event-log.ts'
import type { LogFilters, LogPage, LogQuery, MessageQuery } from '../../../events/log/log-query.ts'
import type { CountQuery, MatchCounts } from '../../../events/log/match-counts.ts'
import type { Replies, RepliesQuery } from '../../../events/replies/count-replies.ts'
import type { DomainCounts } from '../../../stats/domain-counts.ts'
import type { HourCount, SeriesQuery } from '../../../stats/series.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { SummarizedDay } from '../history/history-notice.ts'
import { type AppendedRows, findChanges } from '../newest/domain-changes.ts'
import { pageOfNewest } from '../newest/newest-list.ts'
import { NewestPages } from '../newest/newest-pages.ts'
import { WatchedDomains, type WatchedRow } from '../newest/watched-domains.ts'
import type { NewestQuery } from '../reading/log-reader.ts'
import type { PackedRows } from '../writing/packed-rows.ts'
import { unpackCounts } from './packed-counts.ts'
import type { ReadPool, ReadShare } from './read-pool.ts'
import { unpackSeries } from './series-pack.ts'

/** Larger pages are for exports, which are not repeated. */
const SHORT_LIMIT_MAX = 100
/** Filters that an index answers. */
const SHORT_FILTERS: readonly (keyof LogFilters)[] = ['types', 'messageId']

type Share = Pick<LogQuery, 'tenantId' | 'isContinuation' | 'signal'>

export class PooledLog {
  readonly #pool: ReadPool
  readonly #newest: NewestPages
  readonly #watched = new WatchedDomains()
  /** Days that are set aside. A commit that was under way then may still be reported. */
  readonly #aside = new Set<Day>()
  #fromMemory = 0
  #fromFiles = 0

  constructor(pool: ReadPool, serviceMessageIdField: string) {
    this.#pool = pool
    this.#newest = new NewestPages(serviceMessageIdField)
  }

  /** How many were found in memory, and how many were read. */
  get newestPages(): { readonly fromMemory: number; readonly fromFiles: number } {
    return { fromMemory: this.#fromMemory, fromFiles: this.#fromFiles }
  }

  selectWatched(rows: PackedRows): readonly WatchedRow[] {
    return this.#watched.select(rows)
  }

  /** `appended`: those rows of the commits that `selectWatched` has returned. */
  learn(commits: readonly DayCommit[], appended?: AppendedRows): void {
    this.#newest.learn(findChanges(commits, appended, (day) => !this.#aside.has(day)))
    this.#pool.announce({ kind: 'commits', commits })
  }

  /** The last commits are unknown. */
  forget(): void {
    this.#newest.clear()
    this.#pool.announce({ kind: 'forget' })
  }

  learnSummarized(days: readonly SummarizedDay[]): void {
    this.#pool.announce({ kind: 'summarized', days })
  }

  dropRemoved(): void {
    this.#newest.clear()
    this.#pool.announce({ kind: 'removed' })
  }

  setAside(day: Day): void {
    this.#aside.add(day)
    this.#newest.clear()
    this.#pool.announce({ kind: 'setAside', day })
  }

  takeBack(day: Day): void {
    this.#aside.delete(day)
    this.#newest.clear()
    this.#pool.announce({ kind: 'takeBack', day })
  }

  dropErased(day: Day): void {
    this.#newest.clear()
    this.#pool.announce({ kind: 'erased', day })
  }

  async list(query: LogQuery): Promise<LogPage> {
    const newest = toNewestQuery(query)
    return newest
      ? this.#listNewest(newest, shareOf(query, true))
      : this.#pool.read(shareOf(query, isShort(query)), 'list', { ...query, signal: undefined })
  }

  listMessage(query: MessageQuery): Promise<LogPage> {
    return this.#pool.read(shareOf(query, true), 'listMessage', query)
  }

  replies({ tenantId, signal, ...query }: RepliesQuery): Promise<Replies> {
    return this.#pool.read({ tenantId, signal, isShort: false }, 'replies', query)
  }

  deliveryTimes({ tenantId, ...query }: DeliveryTimesQuery): Promise<DeliveryTimes> {
    return this.#pool.read({ tenantId, isShort: false }, 'deliveryTimes', query)
  }

  count(query: CountQuery): Promise<MatchCounts> {
    return this.#pool.read(shareOf(query, false), 'count', { ...query, signal: undefined })
  }

  lastArrival(tenantId?: string): Promise<ArrivalPosition> {
    return this.#pool.read({ tenantId, isShort: true }, 'lastArrival')
  }

  /** Part of a stream, of which each tenant has a limited number. */
  listArrivals(query: ArrivalQuery): Promise<ArrivalPage> {
    return this.#pool.read({ tenantId: query.tenantId, isShort: true, isContinuation: true }, 'listArrivals', query)
  }

  async counts(domainNumbers: readonly number[], tenantId?: string): Promise<ReadonlyMap<number, DomainCounts>> {
    return unpackCounts(await this.#pool.read({ tenantId, isShort: true }, 'counts', domainNumbers))
  }

  async *series(query: SeriesQuery): AsyncGenerator<readonly HourCount[]> {
    for await (const part of this.#pool.series({ tenantId: query.tenantId, isShort: false }, query)) {
      yield unpackSeries(part)
    }
  }

  findNewestTimestamp(): Promise<number | undefined> {
    return this.#pool.read({ isShort: true }, 'findNewestTimestamp')
  }

  async #listNewest(query: NewestQuery, share: ReadShare): Promise<LogPage> {
    const { domain, window, limit, shown = 'interface' } = query
    this.#watched.note(domain.number)
    const known = this.#newest.find(domain, shown, window, limit)
    if (known) {
      this.#fromMemory++
      return known
    }
    this.#fromFiles++
    using reading = this.#newest.read(domain.number, shown, limit)
    const found = await this.#pool.read(share, 'listNewest', query)
    if (!('completeFrom' in found)) return found
    this.#newest.keep(reading, found)
    return pageOfNewest(found, window, limit, ({ text }) => text) ?? { events: [] }
  }
}

/** Undefined unless it is for the newest events of one domain, unfiltered. */
function toNewestQuery({ domains, filters, shown, after, limit, window, budgetMs }: LogQuery): NewestQuery | undefined {
  const [domain] = domains
  if (!domain || domains.length > 1 || after !== undefined || limit > SHORT_LIMIT_MAX) return undefined
  return listFilters(filters).length === 0 ? { domain, window, limit, budgetMs, ...(shown && { shown }) } : undefined
}

function isShort({ filters, limit }: LogQuery): boolean {
  return limit <= SHORT_LIMIT_MAX && listFilters(filters).every((name) => SHORT_FILTERS.includes(name))
}

function listFilters(filters: LogFilters): readonly (keyof LogFilters)[] {
  return (Object.keys(filters) as (keyof LogFilters)[]).filter((name) => filters[name] !== undefined)
}

function shareOf({ tenantId, isContinuation, signal }: Share, isShort: boolean): ReadShare {
  return { tenantId, isContinuation, signal, isShort }
}
