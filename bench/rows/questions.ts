/** The questions of each query row, made from sampled events so that they mean something to this log. */
import type { SeededRandom } from '../../src/demo/seeded-random.ts'
import type { EmailEvent, EventType } from '../../src/events/event.ts'
import type { EventFilters } from '../../src/events/event-query.ts'
import type { Question } from '../question.ts'
import type { Samples } from '../samples.ts'
import { PROFILES, type Window } from '../traffic.ts'

const QUESTIONS = 24
/** Those with the most history behind a page. */
const DEEP_DOMAINS = 6
const COMMON_TYPES: readonly EventType[] = ['Delivery', 'Bounce', 'Reception', 'TransientFailure']

export interface QuestionSource {
  readonly samples: Samples
  readonly window: Window
  readonly random: SeededRandom
}

type Maker = (source: QuestionSource, index: number) => Question

/** By row. Domains are drawn with the events, so busy ones are asked for most; only `newest` takes any. */
const MAKERS = {
  newest: ({ random, window }) => page(random.pick(PROFILES).domainName, window),
  type: ({ samples, random, window }, index) => {
    const type = COMMON_TYPES[index % COMMON_TYPES.length]
    const event = samples.pick(random, (candidate) => candidate.type === type)
    return page(event.domain_name, window, { types: [event.type] })
  },
  sparse_type: ({ samples, random, window }) => page(samples.pick(random).domain_name, window, { types: ['Feedback'] }),
  code: ({ samples, random, window }) => {
    const event = samples.pick(random, ({ response_code }) => response_code !== undefined && response_code !== 250)
    return page(event.domain_name, window, { responseCode: event.response_code ?? 0 })
  },
  message_id: ({ samples, random }) => {
    const { domain_name, id } = samples.pick(random)
    return { kind: 'message', domainName: domain_name, messageId: id }
  },
  deep_page: ({ window }, index) => {
    const part = (index + 1) / (QUESTIONS + 2)
    const deepFrom = Math.round(window.startTimestamp + part * (window.endTimestamp - window.startTimestamp))
    const { domainName } = PROFILES[index % DEEP_DOMAINS] ?? { domainName: '' }
    return { ...page(domainName, window), deepFrom: Math.max(deepFrom, window.startTimestamp + 5 * 86_400) }
  },
  recipient_exact: ({ samples, random, window }) => {
    const { domain_name, recipient } = samples.pick(random)
    return page(domain_name, window, { recipient })
  },
  substring_rare: ({ samples, random, window }, index) => {
    const event = samples.pick(random, (candidate) => numberIn(candidate.subject) !== undefined)
    const needles = [
      { recipient: mailboxOf(event).slice(1) },
      { sender: event.sender?.slice(9, 17) ?? '' },
      { subject: numberIn(event.subject) ?? '' },
    ]
    return page(event.domain_name, window, needles[index % needles.length])
  },
  substring_common: ({ samples, random, window }, index) => {
    const event = samples.pick(random)
    const needles = [
      { recipient: event.recipient.split('@')[1] ?? '' },
      { from: 'ACME' },
      { subject: longestWordIn(event.subject ?? '') },
    ]
    return page(event.domain_name, window, needles[index % needles.length])
  },
  type_and_substring: ({ samples, random, window }, index) => {
    const type = index % 2 === 0 ? 'Bounce' : 'TransientFailure'
    const event = samples.pick(random, (candidate) => candidate.type === type)
    const recipient = longestWordIn(mailboxOf(event)).slice(0, 4).toUpperCase()
    return page(event.domain_name, window, { types: [type], recipient })
  },
  // Mailbox names end in four digits at most: with more, every three characters in a row occur and the whole never does.
  no_match: ({ samples, random, window }) => {
    const event = samples.pick(random, (candidate) => /\d{3}@/.test(candidate.recipient))
    return page(event.domain_name, window, { recipient: `${mailboxOf(event)}4747` })
  },
} as const satisfies Record<string, Maker>

export type QueryRow = keyof typeof MAKERS

export const QUERY_ROWS = Object.keys(MAKERS) as readonly QueryRow[]

export function makeQuestions(row: QueryRow, source: QuestionSource): readonly Question[] {
  const make: Maker = MAKERS[row]
  return Array.from({ length: QUESTIONS }, (_, index) => make(source, index))
}

export function page(
  domainName: string,
  window: Window,
  filters: Omit<EventFilters, keyof Window> = {},
): Question & { readonly kind: 'page' } {
  return { kind: 'page', domainName, filters: { ...filters, ...window } }
}

function mailboxOf({ recipient }: EmailEvent): string {
  return recipient.split('@')[0] ?? ''
}

function numberIn(subject = ''): string | undefined {
  return /\d{6}/.exec(subject)?.[0]
}

function longestWordIn(text: string): string {
  const words = text.match(/\p{L}+/gu) ?? []
  return words.toSorted((a, b) => b.length - a.length)[0] ?? text
}
