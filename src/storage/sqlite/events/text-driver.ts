/**
 * How the messages with a text are found in one day: walking the events until enough have it, looking at every message of the
 * domain, or asking the trigram index. Which of them takes the least time is estimated from a sample of the day.
 */
import { matchExpression } from './text-search.ts'
import type { TrigramSample } from './trigram-sample.ts'

export type TextDriver =
  | { readonly kind: 'walk' }
  /** Every message of the domain. */
  | { readonly kind: 'scan' }
  /** What the trigram index names for this expression. */
  | { readonly kind: 'index'; readonly match: string }

/** Microseconds, measured on a file of 50,000 messages; only how they relate matters. */
export interface SearchCosts {
  /** An event on the way, with a look at its message: in the table, and by way of an index. */
  readonly walkedRow: number
  readonly indexedRow: number
  readonly statement: number
  readonly scannedMessage: number
  /** For each trigram that the index is asked for, and for each entry of its list. */
  readonly term: number
  readonly posting: number
  /** A message that may match: it is handed over, and looked at with its events. */
  readonly candidate: number
}

export const SEARCH_COSTS: SearchCosts = {
  walkedRow: 0.6,
  indexedRow: 1.2,
  statement: 8,
  scannedMessage: 0.35,
  term: 12,
  posting: 0.025,
  candidate: 3.6,
}

/** What a search for texts is up against in one day. */
export interface TextTask {
  readonly domain: number
  /** About so many messages are the domain's. */
  readonly messages: number
  /** Events that would be walked if none had the texts. */
  readonly rows: number
  readonly costOfRow: number
  /** So many events will do. */
  readonly wanted: number
  /** Of all texts together. */
  readonly trigrams: readonly string[]
  /** More candidates than this are not taken from the index. */
  readonly candidatesMax: number
}

/** Three rare trigrams leave a handful of candidates; each more costs another list. */
const TERMS_MAX = 3
/** So that no statement holds up the thread. */
const SCAN_MAX = 5000

interface Option {
  readonly driver: TextDriver
  readonly cost: number
}

export function chooseTextDriver(task: TextTask, sample: TrigramSample, costs: SearchCosts): TextDriver {
  const options = [
    walkOption(task, sample, costs),
    ...scanOptions(task, sample, costs),
    ...indexOptions(task, sample, costs),
  ]
  return options.reduce((best, option) => (option.cost < best.cost ? option : best)).driver
}

function walkOption(task: TextTask, sample: TrigramSample, costs: SearchCosts): Option {
  const { rows, costOfRow, wanted, trigrams } = task
  const share = sample.share(trigrams)
  const walked = share === 0 ? rows : Math.min(rows, wanted / share)
  return { driver: { kind: 'walk' }, cost: costs.statement + walked * costOfRow }
}

/** All that match are sorted, so there should not be many. */
function scanOptions({ messages, trigrams }: TextTask, sample: TrigramSample, costs: SearchCosts): readonly Option[] {
  if (messages > SCAN_MAX) return []
  const matching = messages * sample.share(trigrams)
  const cost = costs.statement + messages * costs.scannedMessage + matching * costs.candidate
  return [{ driver: { kind: 'scan' }, cost }]
}

/** The rarest trigram, the two rarest and so on, each with and without the domain's token, whose list may be a long one. */
function* indexOptions(task: TextTask, sample: TrigramSample, costs: SearchCosts): Generator<Option> {
  const rarest = sample.rarest(task.trigrams, TERMS_MAX)
  let share = 1
  for (const [place, trigram] of rarest.entries()) {
    // Trigrams of one text occur together: another one excludes less than it would by itself.
    share *= place === 0 ? sample.estimate(trigram) : Math.sqrt(sample.estimate(trigram))
    const terms = rarest.slice(0, place + 1)
    const postings = terms.reduce((sum, term) => sum + sample.estimate(term) * sample.messages, 0)
    const ask = (expression: string, termCount: number, postingCount: number, candidates: number): Option => ({
      driver: { kind: 'index', match: expression },
      cost:
        costs.statement +
        termCount * costs.term +
        postingCount * costs.posting +
        candidates * costs.candidate +
        // More than are taken: asked in vain, and walked all the same.
        (candidates > 2 * task.candidatesMax ? Number.POSITIVE_INFINITY : 0),
    })
    yield ask(matchExpression(terms), terms.length, postings, share * sample.messages)
    const withToken = matchExpression(terms, task.domain)
    yield ask(withToken, terms.length + 1, postings + task.messages, share * task.messages)
  }
}
