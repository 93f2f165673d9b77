/** The figures of the statistics: which events each one counts, and what its share is relative to. Defined only here. */
import { EVENT_TYPES, type EventType } from '../events/event.ts'
import type { HourCount } from './series.ts'

interface Definition {
  readonly title: string
  /** One sentence or two, for tooltips and the documentation. */
  readonly meaning: string
  readonly types: readonly EventType[]
  /** The share of this figure is relative to the sum of these; absent if a share of it means nothing. */
  readonly shareOf?: readonly string[]
}

/**
 * Each event type belongs to exactly one figure, so that an event is counted once and the figures add up to all events.
 * See docs/decisions/0046 for why `Delayed` and `OOBBounce` are figures of their own.
 */
export const FIGURES = {
  received: {
    title: 'Received',
    meaning: 'Messages that a mail server accepted for sending, counted once for each recipient.',
    types: ['Reception'],
  },
  delivered: {
    title: 'Delivered',
    meaning:
      "Messages that the recipient's server accepted. Those that bounced later are still included. The share is relative to " +
      'delivered and bounced messages.',
    types: ['Delivery'],
    shareOf: ['delivered', 'bounced'],
  },
  deferred: {
    title: 'Deferred',
    meaning:
      'Delivery attempts that failed temporarily and will be retried. A message that is deferred three times counts three ' +
      'times. The share is relative to all attempts: delivered, deferred and bounced.',
    types: ['TransientFailure'],
    shareOf: ['delivered', 'deferred', 'bounced'],
  },
  delayed: {
    title: 'Delayed',
    meaning:
      'Notices that a message is waiting without a delivery attempt, for example because a limit was reached. Not included ' +
      'in deferred.',
    types: ['Delayed'],
  },
  bounced: {
    title: 'Bounced',
    meaning:
      "Messages that permanently failed: rejected by the recipient's server, or given up. Late bounces are not included. The " +
      'share is relative to delivered and bounced messages.',
    types: ['Bounce'],
    shareOf: ['delivered', 'bounced'],
  },
  late_bounces: {
    title: 'Late bounces',
    meaning:
      "Bounce messages that came back after the recipient's server had accepted the message, which is also counted as " +
      'delivered. The share is relative to delivered messages.',
    types: ['OOBBounce'],
    shareOf: ['delivered'],
  },
  complaints: {
    title: 'Complaints',
    meaning: 'Messages that recipients reported as spam. The share is relative to delivered messages.',
    types: ['Feedback'],
    shareOf: ['delivered'],
  },
  opens: {
    title: 'Opens',
    meaning: 'Loads of the tracking pixel, including repeated ones and those by machines.',
    types: ['Opened'],
  },
  clicks: {
    title: 'Clicks',
    meaning: 'Clicks on tracked links, including repeated ones and those by machines.',
    types: ['Click'],
  },
} as const satisfies Record<string, Definition>

export type FigureId = keyof typeof FIGURES

export interface Figure extends Definition {
  readonly id: FigureId
  /** Empty if a share of it means nothing. */
  readonly shareOf: readonly FigureId[]
}

export const FIGURE_IDS = Object.keys(FIGURES) as readonly FigureId[]

/** In the order of FIGURES. */
export function listFigures(): readonly Figure[] {
  return FIGURE_IDS.map((id) => ({ id, shareOf: [], ...FIGURES[id] }))
}

/** The event types that these figures count. */
export function typesOfFigures(ids: readonly FigureId[]): readonly EventType[] {
  const counted = ids.flatMap((id): readonly EventType[] => FIGURES[id].types)
  return EVENT_TYPES.filter((type) => counted.includes(type))
}

const FIGURE_OF_TYPE: ReadonlyMap<string, FigureId> = new Map(
  FIGURE_IDS.flatMap((id) => FIGURES[id].types.map((type) => [type, id] as const)),
)

/** Counts by type as counts by figure. */
export function toFigureCount(counted: HourCount): HourCount {
  return { ...counted, key: FIGURE_OF_TYPE.get(counted.key) ?? counted.key }
}
