/** Use case: the time from reception to delivery by provider, as a figure and over time, estimated from a sample. */
import type { DeliveryTime } from '../events/delivery-times/sample-delivery-times.ts'
import type { EventLog } from '../events/log/event-log.ts'
import type { LogDomain, LogWindow } from '../events/log/log-query.ts'

export interface GetDeliveryTimesRequest {
  /** Whose share of the reading threads is used. */
  readonly tenantId: string
  readonly domains: readonly LogDomain[]
  readonly window: LogWindow
}

export interface Durations {
  /** Sampled deliveries. */
  readonly count: number
  /** Seconds. Undefined if there are too few. */
  readonly median?: number
  readonly percentile95?: number
}

export interface ProviderTimes extends Durations {
  /** Empty for events without one. */
  readonly provider: string
  /** One for each part of the window, oldest first. */
  readonly parts: readonly Durations[]
}

export interface DeliveryTimesResult {
  /** Start of each part, Unix seconds. */
  readonly starts: readonly number[]
  readonly all: Durations
  /** Those with the most sampled deliveries first. */
  readonly providers: readonly ProviderTimes[]
  readonly sampled: number
  readonly isCut: boolean
}

const PARTS = 24
const PER_PART = 40
/** Budgets of a page of the log that the sample may use. */
const BUDGETS = 2
const PROVIDERS_MAX = 50
/** Fewer say nothing about a median, or about the slowest of twenty. */
const MEDIAN_MIN = 5
const PERCENTILE_MIN = 20

export async function getDeliveryTimes(
  { log, budgetMs }: { readonly log: Pick<EventLog, 'deliveryTimes'>; readonly budgetMs: number },
  { tenantId, domains, window }: GetDeliveryTimesRequest,
): Promise<DeliveryTimesResult> {
  const query = { tenantId, domains, window, parts: PARTS, perPart: PER_PART, budgetMs: BUDGETS * budgetMs }
  const { times, sampled, isCut } = await log.deliveryTimes(query)
  const length = (window.endTimestamp + 1 - window.startTimestamp) / PARTS
  const partOf = ({ timestamp }: DeliveryTime) => Math.floor((timestamp - window.startTimestamp) / length)
  const byProvider = Map.groupBy(times, ({ provider }) => provider)
  const largest = [...byProvider].sort(([, a], [, b]) => b.length - a.length).slice(0, PROVIDERS_MAX)
  return {
    starts: Array.from({ length: PARTS }, (_, part) => window.startTimestamp + Math.floor(part * length)),
    all: measure(times),
    providers: largest.map(([provider, own]) => {
      const byPart = Map.groupBy(own, partOf)
      const parts = Array.from({ length: PARTS }, (_, part) => measure(byPart.get(part) ?? []))
      return { provider, ...measure(own), parts }
    }),
    sampled,
    isCut,
  }
}

function measure(times: readonly DeliveryTime[]): Durations {
  const sorted = times.map(({ seconds }) => seconds).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  return {
    count: sorted.length,
    ...(sorted.length >= MEDIAN_MIN && { median: at(0.5) }),
    ...(sorted.length >= PERCENTILE_MIN && { percentile95: at(0.95) }),
  }
}
