/** What both sides are asked, and how an answer is compared: the same question, the same events in the same order. */
import { isDeepStrictEqual } from 'node:util'
import type { EmailEvent } from '../src/events/event.ts'
import type { EventFilters } from '../src/events/event-query.ts'

export const PAGE_EVENTS = 50

export type Question =
  | {
      readonly kind: 'page'
      readonly domainName: string
      readonly filters: EventFilters
      /** Go on where a listing that was at this time would go on; the window stays that of the filters. */
      readonly deepFrom?: number
    }
  | { readonly kind: 'message'; readonly domainName: string; readonly messageId: string }

/** A question in a side's own terms: `ask` is what is timed, `read` what it said. */
export interface PreparedQuestion<Raw = unknown> {
  ask(): Promise<Raw>
  read(raw: Raw): SideAnswer
}

export interface SideAnswer {
  readonly events: readonly EmailEvent[]
  readonly hasMore: boolean
}

export interface Side {
  prepare(question: Question): Promise<PreparedQuestion>
}

/** Throws where the sides do not return the same events, with the first difference. */
export function requireSameAnswer(row: string, question: Question, ours: SideAnswer, peers: SideAnswer): void {
  if (isDeepStrictEqual(ours, peers)) return
  const at = ours.events.findIndex((event, index) => !isDeepStrictEqual(event, peers.events[index]))
  const place = at === -1 ? ours.events.length : at
  throw new Error(
    [
      `${row}: the two sides answer differently to ${JSON.stringify(question)}`,
      `ours: ${ours.events.length} events, more: ${ours.hasMore}; peer: ${peers.events.length} events, more: ${peers.hasMore}`,
      `ours, event ${place}: ${JSON.stringify(ours.events[place])}`,
      `peer, event ${place}: ${JSON.stringify(peers.events[place])}`,
    ].join('\n'),
  )
}
