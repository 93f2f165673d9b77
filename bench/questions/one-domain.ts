/** The questions about one domain, made from sampled events so that they match something in this log. */

import type { EmailEvent, EventType } from '../../src/events/event.ts'
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { PROFILES, type Window } from '../traffic/traffic.ts'
import { type Filters, PAGE_EVENTS, type Question } from './question.ts'

const QUESTIONS = 24
/** The busiest domains, whose pages are followed by the most history. */
const DEEP_DOMAINS = 6
const DEEP_FROM_DAY = 5
export const SPARSE_TYPE: EventType = 'Feedback'
export const COMMON_TYPES: readonly EventType[] = ['Delivery', 'Bounce', 'Reception', 'TransientFailure']

export interface QuestionSource {
  /** Some of the loaded events, evenly spread. */
  readonly samples: readonly EmailEvent[]
  readonly window: Window
  readonly random: SeededRandom
}

export type QuestionMaker = (source: QuestionSource, index: number) => Question

/** By row. Domains are drawn by their number of events, busy ones most often; only `newest` draws from all alike. */
const MAKERS = {
  newest: ({ random, window }) => page(random.pick(PROFILES).domainName, window),
  type: ({ samples, random, window }, index) => {
    const type = COMMON_TYPES[index % COMMON_TYPES.length]
    const event = pickEvent(samples, random, (candidate) => candidate.type === type)
    return page(event.domain_name, window, { types: [event.type] })
  },
  sparse_type: ({ samples, random, window }, index) => {
    // One at least finds something, however small the log.
    const event = pickEvent(samples, random, ({ type }) => index > 0 || type === SPARSE_TYPE)
    return page(event.domain_name, window, { types: [SPARSE_TYPE] })
  },
  code: ({ samples, random, window }) => {
    const event = pickEvent(
      samples,
      random,
      ({ response_code }) => response_code !== undefined && response_code !== 250,
    )
    return page(event.domain_name, window, { responseCode: event.response_code ?? 0 })
  },
  message_id: ({ samples, random }) => {
    const { domain_name, id } = pickEvent(samples, random)
    return { kind: 'message', domains: [domain_name], messageId: id }
  },
  deep_page: ({ window }, index) => {
    const { domainName } = PROFILES[index % DEEP_DOMAINS] ?? { domainName: '' }
    return { ...page(domainName, window), deepFrom: timeWithin(window, index) }
  },
  recipient_exact: ({ samples, random, window }) => {
    const { domain_name, recipient } = pickEvent(samples, random)
    return page(domain_name, window, { recipient })
  },
  substring_rare: ({ samples, random, window }, index) => {
    const event = pickEvent(samples, random, (candidate) => numberIn(candidate.subject) !== undefined)
    const needles = [
      { recipient: mailboxOf(event).slice(1) },
      { sender: event.sender?.slice(9, 17) ?? '' },
      { subject: numberIn(event.subject) ?? '' },
    ]
    return page(event.domain_name, window, needles[index % needles.length])
  },
  substring_common: ({ samples, random, window }, index) => {
    const event = pickEvent(samples, random)
    const needles = [
      { recipient: event.recipient.split('@')[1] ?? '' },
      { from: 'ACME' },
      { subject: longestWordIn(event.subject ?? '') },
    ]
    return page(event.domain_name, window, needles[index % needles.length])
  },
  type_and_substring: ({ samples, random, window }, index) => {
    const type = index % 2 === 0 ? 'Bounce' : 'TransientFailure'
    const event = pickEvent(samples, random, (candidate) => candidate.type === type)
    const recipient = longestWordIn(mailboxOf(event)).slice(0, 4).toUpperCase()
    return page(event.domain_name, window, { types: [type], recipient })
  },
  // Mailbox names end in at most four digits: with more, every trigram occurs and the whole text never does.
  no_match: ({ samples, random, window }) => {
    const event = pickEvent(samples, random, (candidate) => /\d{3}@/.test(candidate.recipient))
    return page(event.domain_name, window, { recipient: `${mailboxOf(event)}4747` })
  },
} as const satisfies Record<string, QuestionMaker>

export type QueryRow = keyof typeof MAKERS

export const QUERY_ROWS = Object.keys(MAKERS) as readonly QueryRow[]

export function makeQuestions(row: QueryRow, source: QuestionSource): readonly Question[] {
  return repeatMaker(MAKERS[row], source)
}

export function repeatMaker(make: QuestionMaker, source: QuestionSource): readonly Question[] {
  return Array.from({ length: QUESTIONS }, (_, index) => make(source, index))
}

export function page(
  domainName: string,
  window: Window,
  filters: Omit<Filters, keyof Window> = {},
): Question & { readonly kind: 'page' } {
  return { kind: 'page', domains: [domainName], filters: { ...filters, ...window }, limit: PAGE_EVENTS }
}

/** One of the sampled events for which the condition holds. */
export function pickEvent(
  samples: readonly EmailEvent[],
  random: SeededRandom,
  condition: (event: EmailEvent) => boolean = () => true,
): EmailEvent {
  const start = random.below(samples.length)
  const event = [...samples.slice(start), ...samples.slice(0, start)].find(condition)
  if (!event) throw new Error('no sampled event meets the condition')
  return event
}

/** Spread over the window but for its first days, so that enough history follows. */
export function timeWithin({ startTimestamp, endTimestamp }: Window, index: number): number {
  const part = (index + 1) / (QUESTIONS + 2)
  return Math.max(
    Math.round(startTimestamp + part * (endTimestamp - startTimestamp)),
    startTimestamp + DEEP_FROM_DAY * 86_400,
  )
}

function mailboxOf({ recipient }: EmailEvent): string {
  return recipient.split('@')[0] ?? ''
}

function numberIn(subject = ''): string | undefined {
  return /\d{6}/.exec(subject)?.[0]
}

export function longestWordIn(text: string): string {
  const words = text.match(/\p{L}+/gu) ?? []
  return words.toSorted((a, b) => b.length - a.length)[0] ?? text
}
