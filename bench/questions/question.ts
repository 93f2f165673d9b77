/** A question that both sides are asked, and the comparison of their answers: the same events in the same order. */
import assert from 'node:assert/strict'
import type { EmailEvent, EventType } from '../../src/events/event.ts'
import type { Window } from '../traffic/traffic.ts'

export const PAGE_EVENTS = 50

export interface Filters extends Window {
  readonly types?: readonly EventType[]
  /** Substrings, letter case ignored. */
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  readonly responseCode?: number
  /** 5 stands for all codes from 500 to 599. */
  readonly codeClass?: number
  readonly provider?: string
  readonly classification?: string
  /** A substring of recipient, sender, From header or subject. */
  readonly anyText?: string
}

/** `domains` are names; without any, the question is about all domains of the tenant. */
export type Question =
  | {
      readonly kind: 'page'
      readonly domains: readonly string[]
      readonly filters: Filters
      readonly limit: number
      /** Continue from the page that begins at this time. */
      readonly deepFrom?: number
    }
  | { readonly kind: 'message'; readonly domains: readonly string[]; readonly messageId: string }
  /** Counts by hour and type. */
  | { readonly kind: 'series'; readonly domains: readonly string[]; readonly window: Window }
  /** Bounces, deliveries and receptions of every domain. */
  | { readonly kind: 'stats' }

export interface Answer {
  readonly events?: readonly EmailEvent[]
  /** Cursor of the next page, in the side's own form. */
  readonly next?: string | undefined
  readonly counts?: Readonly<Record<string, readonly number[]>>
}

/** A question in a side's own terms: `ask` is timed, `read` is not. */
export interface PreparedQuestion<Raw = unknown> {
  ask(): Promise<Raw>
  read(raw: Raw): Answer
}

export interface Side {
  /** `after` is the cursor of a page before. */
  prepare(question: Question, after?: string): PreparedQuestion
}

/** Throws an error whose cause shows the difference. */
export function requireSameAnswer(row: string, question: Question, ours: Answer, peers: Answer): void {
  try {
    assert.deepEqual(comparable(ours), comparable(peers))
  } catch (error) {
    throw new Error(`${row}: the two sides answer differently to ${JSON.stringify(question)}`, { cause: error })
  }
}

/** Number of events or counts. */
export function sizeOf({ events = [], counts = {} }: Answer): number {
  return events.length + Object.keys(counts).length
}

/** Cursors differ by nature; whether there is one must not. */
function comparable({ events, next, counts }: Answer): object {
  return { events, hasMore: next !== undefined, counts }
}
