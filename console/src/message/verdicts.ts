/** What became of a message for each recipient: the event that decides it, and an answer for whoever asks. */
import type { Message, TimelineEvent } from '../../../src/http/v1/log/messages.wire.ts'
import type { EventType } from '../kit/marks/event-kinds.ts'
import { formatFull } from '../kit/text/format.ts'
import type { LogFilters } from '../search/log-search.ts'

export interface Verdict {
  readonly headline: string
  /** Somebody waits for it, or it went wrong. */
  readonly isTrouble: boolean
  /** The last one of the kind that decides. */
  readonly event: TimelineEvent
}

interface Kind {
  /** A higher one decides, whatever the order of events: a record of an early attempt may arrive late. */
  readonly rank: number
  readonly headline: string
  readonly isTrouble?: true
}

const DELIVERED = { rank: 3, headline: 'Delivered' }
const KINDS: Readonly<Record<EventType, Kind>> = {
  Reception: { rank: 0, headline: 'Not sent yet' },
  Delayed: { rank: 1, headline: 'Not delivered yet', isTrouble: true },
  // Its reply says more than that of a message that waits.
  TransientFailure: { rank: 2, headline: 'Not delivered yet', isTrouble: true },
  Delivery: DELIVERED,
  Opened: DELIVERED,
  Click: DELIVERED,
  Bounce: { rank: 4, headline: 'Not delivered', isTrouble: true },
  OOBBounce: { rank: 5, headline: 'Came back after delivery', isTrouble: true },
  Feedback: { rank: 6, headline: 'Reported as spam', isTrouble: true },
}

/** Trouble first, otherwise in the order of the recipients. */
export function listVerdicts({ events }: Pick<Message, 'events'>): readonly Verdict[] {
  const deciding = new Map<string, TimelineEvent>()
  for (const event of events) {
    const known = deciding.get(event.recipient)
    if (!known || KINDS[event.type].rank >= KINDS[known.type].rank) deciding.set(event.recipient, event)
  }
  const verdicts = [...deciding.values()].map((event) => {
    const { headline, isTrouble = false } = KINDS[event.type]
    return { headline, isTrouble, event }
  })
  return [...verdicts.filter(({ isTrouble }) => isTrouble), ...verdicts.filter(({ isTrouble }) => !isTrouble)]
}

/** When it is sent again, as far as it is known and not over. */
export function nextAttemptOf(
  { events }: Pick<Message, 'events'>,
  { event }: Verdict,
  nowMs: number,
): number | undefined {
  if (event.type !== 'TransientFailure' && event.type !== 'Delayed') return undefined
  const times = events.flatMap(({ recipient, next_attempt: next }) =>
    recipient === event.recipient && next !== undefined ? [next * 1000] : [],
  )
  const lastMs = times.at(-1)
  return lastMs !== undefined && lastMs > nowMs ? lastMs : undefined
}

/** Finds events with the same answer of the same provider. */
export function sameAnswer({ event }: Verdict): LogFilters {
  const values = {
    type: event.type,
    code: event.response_code,
    provider: event.provider_name,
    classification: event.bounce_classification,
  }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, [`${value}`]]],
    ),
  )
}

/** Whole sentences, to be pasted into a ticket. */
export function writeAnswer(
  { subject, events }: Message,
  { headline, event }: Verdict,
  nextAttemptMs?: number,
): string {
  const sentMs = (events.find(({ recipient }) => recipient === event.recipient)?.timestamp ?? event.timestamp) * 1000
  const reply = [event.response_code, event.response_enhanced_code, event.response_content].filter(Boolean).join(' ')
  return [
    `${headline}: the message${subject ? ` “${subject}”` : ''} to ${event.recipient} of ${formatFull(sentMs)}.`,
    event.explanation,
    ...(reply === '' ? [] : [`Response of the server${event.peer_name ? ` ${event.peer_name}` : ''}: ${reply}`]),
    ...(nextAttemptMs === undefined ? [] : [`Next attempt: ${formatFull(nextAttemptMs)}.`]),
  ].join('\n')
}
