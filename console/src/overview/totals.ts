/** Sums by event type for the overview's figures, and the published limits for complaints. */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { sum } from '../api/series.ts'
import { EVENT_TYPES, type EventType } from '../kit/marks/event-kinds.ts'

export type Totals = Readonly<Record<EventType, number>>

/** Sums of the buckets that begin within the period. */
export function totalsBetween(
  { times, series }: Pick<Series, 'times' | 'series'>,
  fromMs: number,
  toMs: number,
): Totals {
  const isInside = times.map((time) => Date.parse(time) >= fromMs && Date.parse(time) < toMs)
  const found = new Map(series.map(({ key, counts }) => [key, sum(counts.filter((_, index) => isInside[index]))]))
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, found.get(type) ?? 0])) as unknown as Totals
}

/** Number of messages with a final outcome: delivered or bounced. */
export function finished({ Delivery, Bounce }: Totals): number {
  return Delivery + Bounce
}

/**
 * Published limits for the share of delivered mail that is reported as spam. Google, Email sender guidelines: stay below
 * 0.1 %, never reach 0.3 %. Yahoo, Sender Best Practices: below 0.3 %.
 */
export const COMPLAINT_LIMITS = { target: 0.001, max: 0.003 } as const

export function complaintTone(rate: number): 'green' | 'amber' | 'red' {
  if (rate >= COMPLAINT_LIMITS.max) return 'red'
  return rate >= COMPLAINT_LIMITS.target ? 'amber' : 'green'
}
