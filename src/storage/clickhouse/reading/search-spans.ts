/**
 * How many seconds to search at a time. A page needs few events, and a server that sorts many to find them is slow: the first span
 * is short, or what sufficed the last time, and each one that does not suffice is followed by a longer one.
 */
import type { LogQuery } from '../../../events/log/log-query.ts'
import { Recent } from '../../../lib/recent.ts'

const FIRST_SPAN = 2 * 3600
/** All of the time that the column can hold. */
export const LONGEST_SPAN = 2 ** 32

const GROWTH_MIN = 2
const GROWTH_MAX = 36
/** The server examines every event of a span: with filters, too long a step costs more than one step more. */
const GROWTH_MAX_FILTERED = 6
const SHRINKING = 6
/** Events do not come evenly. */
const MARGIN = 1.5
/** Of spans that begin at midnight, which adds something already. */
const MARGIN_OF_DAYS = 1.1
/** For pages, of which the same events are wanted again: a day more than they need costs as much as one of theirs. */
export const MARGIN_OF_KNOWN_DAYS = 1.02
const SECONDS_PER_DAY = 86_400

const SEARCHES_MAX = 10_000
const NAME_LENGTH_MAX = 200

type SearchedFor = Pick<LogQuery, 'domains' | 'filters'>

/** Seconds for each event that the first page of a search needed, the last time. A hint: nothing depends on its being right. */
export class KnownSpans {
  readonly #perEvent = new Recent<number>(SEARCHES_MAX)
  readonly #first: number
  readonly #marginOfDays: number

  /** `first`: of a search that is not known yet. */
  constructor(first = FIRST_SPAN, marginOfDays = MARGIN_OF_DAYS) {
    this.#first = first
    this.#marginOfDays = marginOfDays
  }

  find(search: SearchedFor, wanted: number): number {
    const perEvent = this.#perEvent.find(nameOf(search))
    return perEvent === undefined ? this.#first : spanFor(wanted, perEvent, this.#marginOfDays)
  }

  learn(search: SearchedFor, perEvent: number): void {
    this.#perEvent.keep(nameOf(search), perEvent)
  }
}

/** Hardly ever the same for different searches, and short. */
function nameOf({ domains, filters }: SearchedFor): string {
  const ends = `${domains.length} ${domains[0]?.number} ${domains.at(-1)?.number}`
  return `${ends} ${JSON.stringify(filters)}`.slice(0, NAME_LENGTH_MAX)
}

export function spanFor(wanted: number, secondsPerEvent: number, marginOfDays = MARGIN_OF_DAYS): number {
  const seconds = wanted * secondsPerEvent
  return toSpan(seconds * (seconds * marginOfDays > SECONDS_PER_DAY ? marginOfDays : MARGIN))
}

/**
 * The first second of a span that ends with `last`. ClickHouse has each day in parts of its own, and of a domain with few events the whole day costs
 * as much as an hour of it: a span of more than a day begins at midnight.
 */
export function spanStart(last: number, span: number): number {
  const first = last - span + 1
  return span > SECONDS_PER_DAY ? first - (first % SECONDS_PER_DAY) : first
}

/** After a span with fewer events than are wanted. */
export function longerSpan(span: number, found: number, wanted: number, isFiltered: boolean): number {
  const most = isFiltered ? GROWTH_MAX_FILTERED : GROWTH_MAX
  const growth = found === 0 ? most : (wanted / found) * MARGIN
  return toSpan(span * Math.min(Math.max(growth, GROWTH_MIN), most))
}

/** After a span that took too long. */
export function shorterSpan(span: number): number {
  return toSpan(span / SHRINKING)
}

function toSpan(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_SPAN)
}
