/**
 * How the messages with a text are found in one day: walking the events until enough have it, looking at every message of the
 * domain, or asking the trigram index. Which of them takes the least time is estimated from a sample of the day.
 */
import { matchExpression } from './text-search.ts'
import type { SampledTrigram, TrigramSample } from './trigram-sample.ts'

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
  readonly cost: number
  readonly choose: () => TextDriver
}

export function chooseTextDriver(task: TextTask, sample: TrigramSample, costs: SearchCosts): TextDriver {
  const rarest = sample.rarest(task.trigrams, TERMS_MAX)
  const share = sample.countWithAll(rarest) / sample.size
  let best = walkOption(task, share, costs)
  for (const option of [scanOption(task, share, costs), ...indexOptions(task, rarest, sample, costs)]) {
    if (option.cost < best.cost) best = option
  }
  return best.choose()
}

function walkOption({ rows, costOfRow, wanted }: TextTask, share: number, costs: SearchCosts): Option {
  const walked = share === 0 ? rows : Math.min(rows, wanted / share)
  return { cost: costs.statement + walked * costOfRow, choose: () => ({ kind: 'walk' }) }
}

/** All that match are sorted, so there should not be many. */
function scanOption({ messages }: TextTask, share: number, costs: SearchCosts): Option {
  const cost = costs.statement + messages * costs.scannedMessage + messages * share * costs.candidate
  return { cost: messages > SCAN_MAX ? Number.POSITIVE_INFINITY : cost, choose: () => ({ kind: 'scan' }) }
}

/** The rarest trigram, the two rarest and so on, each with and without the domain's token, whose list may be a long one. */
function indexOptions(
  { domain, messages, candidatesMax }: TextTask,
  rarest: readonly SampledTrigram[],
  sample: TrigramSample,
  costs: SearchCosts,
): readonly Option[] {
  const toOption = (
    terms: readonly SampledTrigram[],
    token: number | undefined,
    postings: number,
    candidates: number,
  ): Option => {
    const lists = (terms.length + (token === undefined ? 0 : 1)) * costs.term + postings * costs.posting
    const cost = costs.statement + lists + candidates * costs.candidate
    return {
      // More than are taken: asked in vain, and walked all the same.
      cost: candidates > candidatesMax ? Number.POSITIVE_INFINITY : cost,
      choose: () => ({
        kind: 'index',
        match: matchExpression(
          terms.map(({ trigram }) => trigram),
          token,
        ),
      }),
    }
  }
  let postings = 0
  return rarest.flatMap((trigram, place) => {
    const terms = rarest.slice(0, place + 1)
    const share = sample.shareWithAll(terms)
    postings += sample.shareWithAll([trigram]) * sample.messages
    return [
      toOption(terms, undefined, postings, share * sample.messages),
      toOption(terms, domain, postings + messages, share * messages),
    ]
  })
}
