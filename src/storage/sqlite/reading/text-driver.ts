/**
 * How events with a text are found in one day, once it is known which messages may have it: by walking until enough are found,
 * by examining every message of the domain, or only those messages.
 */

type TextDriver = 'walk' | 'scan' | 'candidates'

/** Microseconds, measured on a file of 50,000 messages; only their proportions matter. */
export interface SearchCosts {
  /** An event on a walk, with its message: in the table, and through an index. */
  readonly walkedRow: number
  readonly indexedRow: number
  readonly statement: number
  readonly scannedMessage: number
  /** A candidate message that does not have the text. */
  readonly wrongCandidate: number
  /** A message that has the text, with its events. */
  readonly match: number
}

export const SEARCH_COSTS: SearchCosts = {
  walkedRow: 0.6,
  indexedRow: 1.2,
  statement: 8,
  scannedMessage: 0.35,
  wrongCandidate: 1.2,
  match: 3.6,
}

/** The size of a search for texts in one day. */
export interface TextTask {
  /** Messages of the domain that have signatures, and how many of them may have the texts. */
  readonly messages: number
  readonly candidates: number
  /** Messages without signatures: candidates too, but they do not show how common the text is. */
  readonly tail: number
  /** The share of messages that seem to have the texts by chance; less than 1. */
  readonly chance: number
  /** Maximum number of candidates. */
  readonly candidatesMax: number
  /** Events that would be walked if none had the texts. */
  readonly rows: number
  readonly costOfRow: number
  /** Events that fill the page. */
  readonly wanted: number
}

/** So that no statement blocks the thread for long. */
const SCAN_MAX = 5000

/** Walking few rows takes no longer than finding out which messages may have the texts. */
export function isWalkedAtOnce({ rows, costOfRow }: Pick<TextTask, 'rows' | 'costOfRow'>, costs: SearchCosts): boolean {
  return rows * costOfRow <= costs.statement
}

export function chooseTextDriver(task: TextTask, costs: SearchCosts): TextDriver {
  const { messages, candidates, tail, candidatesMax, rows, costOfRow, wanted } = task
  const matches = estimateMatches(task)
  const impossible = Number.POSITIVE_INFINITY
  const walk = Math.min(rows, (wanted * messages) / matches) * costOfRow
  const found = matches * costs.match
  const wrong = Math.max(0, candidates - matches) + tail
  const look = candidates > candidatesMax ? impossible : wrong * costs.wrongCandidate + found
  // All that match are sorted, so there should not be many.
  const all = messages + tail
  const scan = all > SCAN_MAX ? impossible : all * costs.scannedMessage + found
  if (walk <= look && walk <= scan) return 'walk'
  return look <= scan ? 'candidates' : 'scan'
}

/** Candidates minus those expected by chance; never zero. */
function estimateMatches({ messages, candidates, chance }: TextTask): number {
  return Math.max(0.5, (candidates - chance * messages) / (1 - chance))
}
