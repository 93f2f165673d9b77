/** The mail of the benchmark: events of a thousand sender domains with Zipf volumes, sorted by time. Pure. */
import { generateMessages } from '../../src/demo/generate-events.ts'
import { DEMO_PROFILES, type SenderProfile } from '../../src/demo/sender-profile.ts'
import type { EmailEvent, EventType } from '../../src/events/event.ts'

const DOMAINS = 1000
const DAYS = 15
const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
/** A Monday at midnight. */
const SOME_MONDAY = 4 * DAY_SECONDS

/** A little below the measured 2.1, so that there are always enough events. */
const EVENTS_PER_MESSAGE_MIN = 2.08
/** Few senders have opens and clicks tracked. */
const TRACKED_EVERY = 10
const COMPLAINTS = { transactional: 0.002, newsletter: 0.005 } as const

export interface Window {
  /** Unix seconds, both ends included. */
  readonly startTimestamp: number
  readonly endTimestamp: number
}

/** The fifteen days before the last Monday: the same seed gives the same mail in any week, but for the dates. */
export function trafficWindow(nowSeconds: number): Window {
  const end = nowSeconds - ((nowSeconds - SOME_MONDAY) % WEEK_SECONDS)
  return { startTimestamp: end - DAYS * DAY_SECONDS, endTimestamp: end - 1 }
}

/** The day before the window, for the mail of the warm-up. */
export function dayBefore(window: Window): Window {
  return { startTimestamp: window.startTimestamp - DAY_SECONDS, endTimestamp: window.startTimestamp - 1 }
}

/** The day after the window, for events that are new to a log that has the whole window. */
export function dayAfter(window: Window): Window {
  return { startTimestamp: window.endTimestamp + 1, endTimestamp: window.endTimestamp + DAY_SECONDS }
}

/** Busiest first: the senders of the demo, with ordinary rates of bounces, deferrals and tracking. */
export const PROFILES: readonly SenderProfile[] = Array.from({ length: DOMAINS }, (_, index) => makeProfile(index + 1))

export const DOMAIN_NAMES: readonly string[] = PROFILES.map(({ domainName }) => domainName)

function makeProfile(rank: number): SenderProfile {
  const model = DEMO_PROFILES[(rank - 1) % DEMO_PROFILES.length] ?? DEMO_PROFILES[0]
  if (!model) throw new Error('the demo has no sender')
  const domainName = `c${String(rank).padStart(4, '0')}.example`
  const isTracked = rank % TRACKED_EVERY === 4
  return {
    ...model,
    domainName,
    weight: 1 / rank,
    from: model.from.replace(/@[^>]+/, `@${domainName}`),
    health: {
      bounce: model.health.bounce,
      deferral: model.health.deferral / 4,
      lateBounce: model.health.lateBounce,
      complaint: COMPLAINTS[model.kind],
      open: isTracked ? model.health.open : 0,
      click: model.health.click,
    },
  }
}

/** Exactly `events` events, sorted by time and then by domain. */
export function* generateTraffic(seed: number, events: number, window: Window): Generator<EmailEvent> {
  const messages = Math.ceil(events / EVENTS_PER_MESSAGE_MIN) + 100
  let left = events
  for (const event of sortByTime(generateMessages({ seed, profiles: PROFILES, messages, ...window }))) {
    if (event.timestamp > window.endTimestamp || left === 0) break
    left--
    yield event
  }
  if (left > 0) throw new Error(`the traffic ended ${left} events too early`)
}

/** Messages come in the order of their reception: at the start of an hour, everything before it is complete. */
function* sortByTime(messages: Iterable<readonly EmailEvent[]>): Generator<EmailEvent> {
  const hourSeconds = 3600
  let pending: EmailEvent[] = []
  let hourEnds = 0
  for (const message of messages) {
    const receivedAt = message[0]?.timestamp ?? 0
    if (receivedAt >= hourEnds) {
      pending.sort(byTimeAndDomain)
      const due = pending.findIndex((event) => event.timestamp >= receivedAt)
      yield* due === -1 ? pending : pending.slice(0, due)
      pending = due === -1 ? [] : pending.slice(due)
      hourEnds = receivedAt - (receivedAt % hourSeconds) + hourSeconds
    }
    pending.push(...message)
  }
  yield* pending.sort(byTimeAndDomain)
}

function byTimeAndDomain(a: EmailEvent, b: EmailEvent): number {
  if (a.timestamp !== b.timestamp) return a.timestamp - b.timestamp
  if (a.domain_name === b.domain_name) return 0
  return a.domain_name < b.domain_name ? -1 : 1
}

/** Properties of the generated mail. */
export interface TrafficSummary {
  readonly events: number
  readonly messages: number
  readonly eventsPerMessage: number
  readonly bytesPerEvent: number
  /** Percent of all events. */
  readonly shares: Readonly<Partial<Record<EventType, number>>>
}

export class TrafficCount {
  #events = 0
  #bytes = 0
  readonly #byType = new Map<EventType, number>()

  add(event: EmailEvent, jsonBytes: number): void {
    this.#events++
    this.#bytes += jsonBytes
    this.#byType.set(event.type, (this.#byType.get(event.type) ?? 0) + 1)
  }

  summary(): TrafficSummary {
    const messages = this.#byType.get('Reception') ?? 0
    const shares = [...this.#byType].map(([type, count]) => [type, round((100 * count) / this.#events, 3)])
    return {
      events: this.#events,
      messages,
      eventsPerMessage: round(this.#events / messages, 2),
      bytesPerEvent: round(this.#bytes / this.#events, 0),
      shares: Object.fromEntries(shares) as TrafficSummary['shares'],
    }
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
