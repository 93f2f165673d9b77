/** Batches of events as several mail servers would send them: all different, spread over days and domains. */
import type { EmailEvent, EventType } from '../../../src/events/event.ts'
import type { Batch } from './ledger.ts'

const DAY_SECONDS = 86_400

export interface TrafficOptions {
  readonly domains: readonly string[]
  /** Unix seconds; no event is newer. */
  readonly now: number
  /** Of the first message; default 0. Two traffics whose numbers differ have no event in common. */
  readonly firstNumber?: number
}

export interface Traffic {
  /** Whole messages with two to four events each, at least `events` of them, on the given days (0: today, 1: yesterday). */
  nextBatch(events: number, days: readonly number[]): Batch
}

const COURSES: readonly (readonly EventType[])[] = [
  ['Reception', 'Delivery'],
  ['Reception', 'TransientFailure', 'Delivery', 'Opened'],
  ['Reception', 'Bounce'],
  ['Reception', 'Delayed', 'Bounce'],
]

export function createTraffic({ domains, now, firstNumber = 0 }: TrafficOptions): Traffic {
  // In the first hour of a day, all since midnight: an hour ago was another day.
  const spread = Math.min(3600, (now % DAY_SECONDS) + 1)
  let messages = firstNumber
  const nextMessage = (days: readonly number[]): Batch => {
    const number = messages++
    const course = COURSES[number % COURSES.length] ?? []
    const domain = domains[number % domains.length] ?? ''
    return course.map((type, step) => {
      const age = (days[(number + step) % days.length] ?? 0) * DAY_SECONDS + ((number * 37) % spread)
      return toEvent({ number, type, domain, timestamp: now - age, step })
    })
  }
  return {
    nextBatch(events, days) {
      const batch: EmailEvent[] = []
      while (batch.length < events) batch.push(...nextMessage(days))
      return batch
    },
  }
}

interface Step {
  readonly number: number
  readonly type: EventType
  readonly domain: string
  readonly timestamp: number
  readonly step: number
}

function toEvent({ number, type, domain, timestamp, step }: Step): EmailEvent {
  const event: EmailEvent = {
    id: `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`,
    timestamp,
    type,
    domain_name: domain,
    recipient: `person${number}@example.net`,
    sender: `bounces@${domain}`,
    from: `Acme <hello@${domain}>`,
    subject: `Letter ${number} – grüße`,
    size: 1000 + number,
  }
  if (type === 'Reception') return event
  return { ...event, num_attempts: step, provider_name: `provider${number % 3}`, response_code: codeOf(type) }
}

function codeOf(type: EventType): number {
  return type === 'Bounce' ? 550 : type === 'Delivery' || type === 'Opened' ? 250 : 400
}
