/**
 * Use case: what has changed. Failures of the last 24 hours that are more frequent than in the same hours of the weeks before, with
 * what receiving servers replied. Costs a bounded number of reads of hourly counts, and of the newest failures.
 */
import type { EventLog } from '../../events/log/event-log.ts'
import type { LogDomain, ShownFields } from '../../events/log/log-query.ts'
import type { Clock } from '../../lib/clock.ts'
import { known } from '../../lib/known.ts'
import { Deadline } from '../../lib/turns/deadline.ts'
import type { EventCounts } from '../event-counts.ts'
import { FIGURES, typesOfFigures } from '../figures.ts'
import type { HourRange, SeriesFilters } from '../series.ts'
import { type AddressDeviation, findAddressDeviations, type SpreadDeviation, settle } from './address-deviations.ts'
import type { Deviation } from './deviation.ts'
import { type FoundDeviation, findDeviations } from './find-deviations.ts'
import type { CountedValue, Finding, Findings } from './finding.ts'
import { FAILURE_FIGURES, KindCounts } from './kind-counts.ts'

export interface GetFindingsDeps {
  readonly log: Pick<EventLog, 'replies'>
  readonly counts: Pick<EventCounts, 'series'>
  readonly clock: Clock
  /** For the replies of one finding. All of them together may take some times as long. */
  readonly budgetMs: number
}

export interface GetFindingsRequest {
  /** Whose share of the reading threads is used. */
  readonly tenantId: string
  readonly domains: readonly LogDomain[]
  /** `sending`: with the addresses that messages were sent from. */
  readonly shown: ShownFields
  /** Without: no replies, which are part of the log. */
  readonly canReadLog: boolean
}

const WINDOW_HOURS = 24
const WEEK_HOURS = 168
const HOUR_MS = 3_600_000
const WEEKS = 4
/** Attempts that a period needs to be compared with, and their part of today's. */
const COMPARABLE_MIN = 20
const COMPARABLE_PART = 0.05
/** The others are only counted. */
const FINDINGS_MAX = 10
const LISTED_DOMAINS = 10
const LISTED_ADDRESSES = 10
/** Of each finding, the newest. */
const REPLIES_EXAMINED = 1000
/** Budgets that the replies of all findings together may use. */
const BUDGETS = 3

const COUNTED_TYPES = typesOfFigures(['delivered', ...FAILURE_FIGURES])

export async function getFindings(deps: GetFindingsDeps, request: GetFindingsRequest): Promise<Findings> {
  const nowMs = deps.clock()
  const toHour = Math.floor(nowMs / HOUR_MS) + 1
  const window: HourRange = { fromHour: toHour - WINDOW_HOURS, toHour }
  const elapsed = (nowMs % HOUR_MS) / HOUR_MS
  const kinds = await compareKinds(deps, request, window, 'kind')
  const { now, comparison } = kinds
  const ofProviders = await findDeviations({ ...kinds, elapsed })
  let deviations = ofProviders
  let isCut = now.isCut
  if (request.shown === 'sending') {
    const addresses = await compareKinds(deps, request, window, 'sending_kind')
    const ofAddresses = await findAddressDeviations({ ...addresses, elapsed }, now)
    const spreads: SpreadDeviation[] = []
    for (const found of ofAddresses.slice(0, FINDINGS_MAX)) spreads.push(await spread(deps, request, window, found))
    deviations = settle(ofProviders, spreads)
    isCut ||= addresses.now.isCut
  }
  const deadline = new Deadline(BUDGETS * deps.budgetMs)
  const findings: Finding[] = []
  for (const deviation of deviations.slice(0, FINDINGS_MAX)) {
    findings.push(await describe(deps, request, { deviation, window, leftMs: deadline.leftMs }))
  }
  return {
    fromMs: window.fromHour * HOUR_MS,
    toMs: window.toHour * HOUR_MS,
    comparison,
    findings,
    omitted: deviations.length - findings.length,
    isCut,
  }
}

type KindGroup = 'kind' | 'sending_kind'

/** The same hours of the weeks before, as far as there was mail; otherwise the average of the hours before the window. */
async function compareKinds(
  deps: GetFindingsDeps,
  request: GetFindingsRequest,
  window: HourRange,
  group: KindGroup,
): Promise<{
  readonly now: KindCounts
  readonly comparison: Findings['comparison']
  readonly usual: readonly KindCounts[]
}> {
  const now = await countKinds(deps, request, window, group)
  const isComparable = ({ attempts }: KindCounts) =>
    attempts >= Math.max(COMPARABLE_MIN, COMPARABLE_PART * now.attempts)
  if (now.attempts === 0) return { now, comparison: { basis: 'none' }, usual: [] }
  const weeks: KindCounts[] = []
  for (let week = 1; week <= WEEKS; week++) {
    const counts = await countKinds(deps, request, shift(window, -week * WEEK_HOURS), group)
    if (isComparable(counts)) weeks.push(counts)
  }
  if (weeks.length > 0) return { now, comparison: { basis: 'weeks', weeks: weeks.length }, usual: weeks }
  const before = await countKinds(deps, request, shift(window, -WINDOW_HOURS), group)
  if (!isComparable(before)) return { now, comparison: { basis: 'none' }, usual: [] }
  return { now, comparison: { basis: 'hours', hours: WINDOW_HOURS }, usual: [before.averaged()] }
}

function shift({ fromHour, toHour }: HourRange, hours: number): HourRange {
  return { fromHour: fromHour + hours, toHour: toHour + hours }
}

async function countKinds(
  { counts }: GetFindingsDeps,
  { tenantId, domains }: GetFindingsRequest,
  range: HourRange,
  group: KindGroup,
): Promise<KindCounts> {
  const found = new KindCounts(range.fromHour, range.toHour - range.fromHour)
  const domainNumbers = domains.map(({ number }) => number)
  const query = { tenantId, domainNumbers, group, filters: { types: COUNTED_TYPES }, ...range } as const
  for await (const some of counts.series(query)) for (const counted of some) found.add(counted)
  return found
}

async function spread(
  deps: GetFindingsDeps,
  request: GetFindingsRequest,
  window: HourRange,
  deviation: AddressDeviation,
): Promise<SpreadDeviation> {
  const filters = { types: FIGURES[deviation.figure].types, sendingAddresses: [deviation.address] }
  const byProvider = await countValues(deps, request, { group: 'provider', filters, ...hoursOf(window, deviation) })
  return { ...deviation, byProvider }
}

function hoursOf({ fromHour }: HourRange, { first, last }: Deviation): HourRange {
  return { fromHour: fromHour + first, toHour: fromHour + last + 1 }
}

interface Described {
  readonly deviation: FoundDeviation
  readonly window: HourRange
  readonly leftMs: number
}

async function describe(
  deps: GetFindingsDeps,
  request: GetFindingsRequest,
  { deviation, window, leftMs }: Described,
): Promise<Finding> {
  const { first: _first, last, score: _score, ...kind } = deviation
  const { figure, provider, classification, address } = kind
  const { types } = FIGURES[figure]
  const range = hoursOf(window, deviation)
  const ofProvider: SeriesFilters = { types, ...known({ providers: provider === undefined ? undefined : [provider] }) }
  const ofAddress = known({ sendingAddresses: address === undefined ? undefined : [address] })
  const ofClass = known({ classifications: classification === undefined ? undefined : [classification] })
  const count = (group: 'domain' | 'provider', filters: SeriesFilters) =>
    countValues(deps, request, { group, filters, ...range })
  const byDomain = await count('domain', { ...ofProvider, ...ofClass, ...ofAddress })
  const names = new Map(request.domains.map(({ number, name }) => [String(number), name]))
  const domains = byDomain.map(({ value, count: ofDomain }) => ({ value: names.get(value) ?? '', count: ofDomain }))
  const isOfSeveral = provider === undefined && kind.providers === undefined
  const providers = isOfSeveral ? (await count('provider', { types, ...ofClass })).length : kind.providers
  const replies =
    request.canReadLog && leftMs > 0
      ? await deps.log.replies({
          tenantId: request.tenantId,
          domains: request.domains.filter(isAmong(byDomain)),
          window: { startTimestamp: range.fromHour * 3600, endTimestamp: range.toHour * 3600 - 1 },
          types,
          limit: REPLIES_EXAMINED,
          budgetMs: Math.min(deps.budgetMs, leftMs),
          shown: request.shown,
          ...known({ provider, classification, sendingAddress: address }),
        })
      : undefined
  // Counts by hour have either the address or the classification: only the events themselves have both.
  const addresses = address === undefined ? (replies?.addresses ?? []) : [{ value: address, count: kind.count }]
  return {
    ...kind,
    types,
    sinceMs: range.fromHour * HOUR_MS,
    // Something may still arrive for the hour before the unfinished one.
    ...(last < WINDOW_HOURS - 2 && { untilMs: range.toHour * HOUR_MS }),
    domains: { count: domains.length, largest: domains.slice(0, LISTED_DOMAINS) },
    addresses: addresses.slice(0, LISTED_ADDRESSES),
    ...known({ replies, providers }),
  }
}

function isAmong(counted: readonly CountedValue[]): (domain: LogDomain) => boolean {
  const numbers = new Set(counted.map(({ value }) => value))
  return ({ number }) => numbers.has(String(number))
}

/** Largest first. */
async function countValues(
  { counts }: GetFindingsDeps,
  { tenantId, domains }: GetFindingsRequest,
  query: HourRange & { readonly group: 'domain' | 'provider'; readonly filters: SeriesFilters },
): Promise<readonly CountedValue[]> {
  const totals = new Map<string, number>()
  const domainNumbers = domains.map(({ number }) => number)
  for await (const some of counts.series({ tenantId, domainNumbers, ...query })) {
    for (const { key, count } of some) totals.set(key, (totals.get(key) ?? 0) + count)
  }
  const values = [...totals].map(([value, count]) => ({ value, count }))
  return values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
