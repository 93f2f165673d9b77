/** The questions that the console asks: the log over all domains of a tenant, or over forty of them. */
import type { EmailEvent } from '../../src/events/event.ts'
import { PROFILES, type Window } from '../traffic/traffic.ts'
import {
  COMMON_TYPES,
  longestWordIn,
  pickEvent,
  type QuestionMaker,
  type QuestionSource,
  repeatMaker,
  timeWithin,
} from './one-domain.ts'
import type { Filters, Question } from './question.ts'

/** The first page of the console. */
const PAGE_EVENTS = 100
const DAY_SECONDS = 86_400
/** The console's usual windows, which end now. */
const WINDOW_DAYS = [15, 7, 1]

const ALL: readonly string[] = []
/** Of all sizes; together they have about 3 % of the mail. */
const FORTY = PROFILES.filter((_, index) => index % 25 === 12).map(({ domainName }) => domainName)

type Narrow = (source: QuestionSource, index: number) => Omit<Filters, keyof Window>

const newest: Narrow = () => ({})
const type: Narrow = (_, index) => ({ types: [COMMON_TYPES[index % COMMON_TYPES.length] ?? 'Bounce'] })
const types: Narrow = (_, index) => ({
  types: index % 2 === 0 ? ['Bounce', 'OOBBounce', 'Feedback'] : ['TransientFailure', 'Delayed'],
})
const codeClass: Narrow = (_, index) => ({ codeClass: index % 2 === 0 ? 5 : 4 })
const provider: Narrow = (source) => ({ provider: pick(source, 'provider_name').provider_name ?? '' })
const classification: Narrow = (source) => ({
  classification: pick(source, 'bounce_classification').bounce_classification ?? '',
})
const commonText: Narrow = (source) => ({ anyText: longestWordIn(pick(source, 'subject').subject ?? '') })

const MAKERS = {
  v1_newest: pageOf(ALL, newest),
  v1_type: pageOf(ALL, type),
  v1_types: pageOf(ALL, types),
  v1_code_class: pageOf(ALL, codeClass),
  v1_provider: pageOf(ALL, provider),
  v1_classification: pageOf(ALL, classification),
  v1_text: pageOf(
    ALL,
    recipientText(() => true),
  ),
  v1_common_text: pageOf(ALL, commonText),
  v1_message_id: ({ samples, random }) => ({ kind: 'message', domains: ALL, messageId: pickEvent(samples, random).id }),
  v1_deep_page: ({ window }, index) => ({ ...page(ALL, window, {}), deepFrom: timeWithin(window, index) }),
  v1_series: seriesOf(ALL),
  v1_40_newest: pageOf(FORTY, newest),
  v1_40_type: pageOf(FORTY, type),
  v1_40_code_class: pageOf(FORTY, codeClass),
  v1_40_text: pageOf(
    FORTY,
    recipientText(({ domain_name }) => FORTY.includes(domain_name)),
  ),
  v1_40_series: seriesOf(FORTY),
} as const satisfies Record<string, QuestionMaker>

export type ManyRow = keyof typeof MAKERS

export const MANY_ROWS = Object.keys(MAKERS) as readonly ManyRow[]

export function makeManyQuestions(row: ManyRow, source: QuestionSource): readonly Question[] {
  return repeatMaker(MAKERS[row], source)
}

function pageOf(domains: readonly string[], narrow: Narrow): QuestionMaker {
  return (source, index) => page(domains, lastDays(source.window, index), narrow(source, index))
}

function seriesOf(domains: readonly string[]): QuestionMaker {
  return ({ window }, index) => ({ kind: 'series', domains, window: lastDays(window, index) })
}

function page(
  domains: readonly string[],
  window: Window,
  filters: Omit<Filters, keyof Window>,
): Question & { readonly kind: 'page' } {
  return { kind: 'page', domains, filters: { ...filters, ...window }, limit: PAGE_EVENTS }
}

/** A recipient's whole address, as support staff search for it. */
function recipientText(condition: (event: EmailEvent) => boolean): Narrow {
  return ({ samples, random }) => ({ anyText: pickEvent(samples, random, condition).recipient })
}

function pick({ samples, random }: QuestionSource, field: keyof EmailEvent): EmailEvent {
  return pickEvent(samples, random, (event) => Boolean(event[field]))
}

function lastDays({ endTimestamp }: Window, index: number): Window {
  const days = WINDOW_DAYS[index % WINDOW_DAYS.length] ?? 1
  return { startTimestamp: endTimestamp + 1 - days * DAY_SECONDS, endTimestamp }
}
