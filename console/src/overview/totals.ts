/** What the figures of the overview are made of: sums by type, and the rates that people speak about. */
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { EVENT_TYPES, type EventType } from '../kit/event-kinds.ts'

export type Totals = Readonly<Record<EventType, number>>

/** The sums of the buckets that begin within the period. */
export function totalsBetween(
  { times, series }: Pick<Series, 'times' | 'series'>,
  fromMs: number,
  toMs: number,
): Totals {
  const isInside = times.map((time) => Date.parse(time) >= fromMs && Date.parse(time) < toMs)
  const sum = (counts: readonly number[]) =>
    counts.reduce((all, count, index) => (isInside[index] ? all + count : all), 0)
  const found = new Map(series.map(({ key, counts }) => [key, sum(counts)]))
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, found.get(type) ?? 0])) as unknown as Totals
}

/** Of the messages whose fate is known at their first end: delivered or refused. */
export function finished({ Delivery, Bounce }: Totals): number {
  return Delivery + Bounce
}

/**
 * Published limits for the share of delivered mail that is reported as spam. Google, Email sender guidelines: stay below
 * 0.1 %, never reach 0.3 %. Yahoo, Sender Best Practices: below 0.3 %.
 */
export const COMPLAINT_LIMITS = { target: 0.001, most: 0.003 } as const

export function complaintTone(rate: number): 'green' | 'amber' | 'red' {
  if (rate >= COMPLAINT_LIMITS.most) return 'red'
  return rate >= COMPLAINT_LIMITS.target ? 'amber' : 'green'
}
