/**
 * Use case: how many events match a search, by the values of their fields and over time.
 *
 * The events are counted one by one, which is exact, within a part of the budget. If that does not suffice and the filters allow it, the
 * counts by hour answer instead: all of the window, rounded to whole hours. Otherwise only its newest part was counted.
 */
import { EVENT_TYPES, type EventType } from '../events/event.ts'
import type { AskedLog } from '../events/log/cursor.ts'
import type { EventLog } from '../events/log/event-log.ts'
import type { LogDomain, LogFilters, LogWindow, ShownFields } from '../events/log/log-query.ts'
import {
  type BucketCount,
  byCount,
  COUNTED_FIELDS,
  type CountedField,
  type FieldCounts,
  type MatchCounts,
  SENDING_FIELDS,
} from '../events/log/match-counts.ts'
import { findDomainsFor, type SearchLogDeps, startOf } from '../events/log/search-log.ts'
import { requireShown } from '../events/log/shown-fields.ts'
import type { Clock } from '../lib/clock.ts'
import { Deadline } from '../lib/turns/deadline.ts'
import type { EventCounts } from './event-counts.ts'
import type { SeriesFilters, SeriesGroup } from './series.ts'

export interface GetFacetsDeps extends Pick<SearchLogDeps, 'domains' | 'findDomains'> {
  readonly log: Pick<EventLog, 'count'> & Pick<EventCounts, 'series'>
  readonly clock: Clock
  readonly budgetMs: number
}

export interface GetFacetsRequest {
  readonly tenantId: string
  readonly asked: AskedLog
  readonly shown: ShownFields
  readonly signal?: AbortSignal
}

export interface Facet extends FieldCounts {
  /** Its counts are those of the window, to the event. */
  readonly isExact: boolean
}

export interface Facets {
  readonly window: LogWindow
  /** What was counted; the window itself if that is exact. */
  readonly counted: LogWindow
  readonly total: number
  readonly isExact: boolean
  readonly facets: readonly Facet[]
  readonly bucketSeconds: number
  /** Those with events, newest first. */
  readonly buckets: readonly BucketCount[]
}

const HOUR = 3600
/** Lengths of intervals over time, in seconds. */
const BUCKETS = [60, 300, 900, HOUR, 3 * HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 28 * 24 * HOUR] as const
const BUCKETS_MAX = 120

export async function getFacets(deps: GetFacetsDeps, request: GetFacetsRequest): Promise<Facets> {
  const { tenantId, asked, shown, signal } = request
  const { window } = startOf(asked, deps.clock())
  const { filters } = asked
  requireShown(filters, shown)
  const domains = await findDomainsFor(deps, tenantId)(asked)
  const fields = COUNTED_FIELDS.filter((field) => shown === 'sending' || !isSending(field))
  const bucketSeconds = chooseBucket(window)
  const budgetMs = deps.budgetMs / 2
  const query = { tenantId, signal, domains, filters, window, fields, bucketSeconds, budgetMs }
  const counted = await deps.log.count(query)
  if (counted.countedTo === undefined) return toFacets(counted, domains, { window, counted: window, bucketSeconds })
  const hourly = toHourlyFilters(filters)
  const newest = { startTimestamp: counted.countedTo, endTimestamp: window.endTimestamp }
  if (!hourly) return toFacets(counted, domains, { window, counted: newest, bucketSeconds })
  const asOfHours = { tenantId, domains, filters: hourly, window, fields, bucketSeconds, budgetMs }
  const byHour = await countHours(deps.log, asOfHours)
  // The counts by hour have neither codes nor replies, and of many domains there may have been no time for all fields.
  const others = counted.fields.filter(({ field }) => !byHour.fields.some((own) => own.field === field))
  return toFacets({ ...byHour, fields: [...byHour.fields, ...others] }, domains, {
    window,
    counted: byHour.window,
    bucketSeconds,
  })
}

type Counted = Pick<Facets, 'window' | 'counted' | 'bucketSeconds'>

function toFacets(counts: MatchCounts, domains: readonly LogDomain[], about: Counted): Facets {
  const { window, counted } = about
  const isExact =
    counts.countedTo === undefined &&
    counted.startTimestamp === window.startTimestamp &&
    counted.endTimestamp === window.endTimestamp
  const names = new Map(domains.map(({ number, name }) => [String(number), name]))
  const facets = counts.fields.map((facet): Facet => {
    const values = facet.values.map(({ value, count }) => ({ value: nameOf(facet.field, value, names), count }))
    return { ...facet, values, isExact: isExact && !facet.isCut && !facet.isNewestOnly }
  })
  facets.sort((a, b) => COUNTED_FIELDS.indexOf(a.field) - COUNTED_FIELDS.indexOf(b.field))
  return { ...about, total: counts.total, isExact, facets, buckets: counts.buckets }
}

function nameOf(field: CountedField, value: string, names: ReadonlyMap<string, string>): string {
  return field === 'domain' ? (names.get(value) ?? '') : value
}

function isSending(field: CountedField): boolean {
  return (SENDING_FIELDS as readonly string[]).includes(field)
}

function chooseBucket({ startTimestamp, endTimestamp }: LogWindow): number {
  const seconds = endTimestamp - startTimestamp + 1
  return BUCKETS.find((length) => seconds / length <= BUCKETS_MAX) ?? Math.ceil(seconds / BUCKETS_MAX / HOUR) * HOUR
}

const HOURLY = [
  'types',
  'providers',
  'classifications',
  'sendingAddresses',
  'sendingSources',
  'sendingPools',
  'without',
]

/** Undefined if the counts by hour cannot be filtered in this way. */
function toHourlyFilters(filters: LogFilters): SeriesFilters | undefined {
  const { without, types: wanted, ...others } = filters
  const { types: unwanted, ...rest } = without ?? {}
  if (!Object.keys(filters).every((name) => HOURLY.includes(name)) || Object.keys(rest).length > 0) return undefined
  const types = unwanted ? (wanted ?? EVENT_TYPES).filter((type) => !unwanted.includes(type)) : wanted
  const isOfSending = (others.sendingAddresses ?? others.sendingSources ?? others.sendingPools) !== undefined
  if (isOfSending && others.classifications) return undefined
  return { ...others, ...(types && { types }) }
}

interface HourlyQuery {
  readonly tenantId: string
  readonly domains: readonly LogDomain[]
  readonly filters: SeriesFilters
  readonly window: LogWindow
  readonly fields: readonly CountedField[]
  readonly bucketSeconds: number
  /** No field is begun after it, except for the first, which is the type: nothing is known without it. */
  readonly budgetMs: number
}

async function countHours(
  log: Pick<EventCounts, 'series'>,
  { tenantId, domains, filters, window, fields, bucketSeconds, budgetMs }: HourlyQuery,
): Promise<MatchCounts & { readonly window: LogWindow }> {
  const fromHour = Math.floor(window.startTimestamp / HOUR)
  const toHour = Math.floor(window.endTimestamp / HOUR) + 1
  const isOfSending = Object.keys(filters).some((name) => name.startsWith('sending'))
  const domainNumbers = domains.map(({ number }) => number)
  const query = { tenantId, domainNumbers, filters, fromHour, toHour }
  const buckets = new Map<string, BucketCount>()
  const counted: FieldCounts[] = []
  let total = 0
  const deadline = new Deadline(budgetMs)
  for (const field of fields) {
    if (counted.length > 0 && deadline.leftMs < 0) break
    if (!isGroup(field) || (isOfSending && field === 'classification')) continue
    const counts = new Map<string, number>()
    for await (const part of log.series({ ...query, group: field })) {
      for (const { hour, key, count } of part) {
        if (key !== '') counts.set(key, (counts.get(key) ?? 0) + count)
        if (field !== 'type') continue
        total += count
        const start = Math.floor((hour * HOUR) / bucketSeconds) * bucketSeconds
        const previous = buckets.get(`${start} ${key}`)?.count ?? 0
        buckets.set(`${start} ${key}`, { start, type: key as EventType, count: previous + count })
      }
    }
    const values = [...counts].map(([value, count]) => ({ value, count })).sort(byCount)
    counted.push({ field, values, isCut: false, isNewestOnly: false })
  }
  return {
    total,
    fields: counted,
    buckets: [...buckets.values()].sort((a, b) => b.start - a.start || (a.type < b.type ? -1 : 1)),
    window: { startTimestamp: fromHour * HOUR, endTimestamp: toHour * HOUR - 1 },
  }
}

function isGroup(field: CountedField): field is CountedField & SeriesGroup {
  return field !== 'code' && field !== 'reply'
}
