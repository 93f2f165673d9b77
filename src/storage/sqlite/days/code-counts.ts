/**
 * How many events of each response code every domain has in one day, except for the code without an index: whether a search
 * for codes can find anything, and whether they are rare. Never too low; commits that are learned while it is being loaded
 * may count twice.
 */
import type { CodeRange } from '../../../events/log/log-query.ts'
import type { Database } from '../database/database.ts'
import type { DayCommit } from './day-commit.ts'
import { CODES, UNINDEXED_CODE } from './stored-codes.ts'

/** About so many entries of the index are counted by one statement. */
const ENTRIES_AT_ONCE = 20_000

const INDEXED = `event INDEXED BY event_by_code WHERE response_code <> ${UNINDEXED_CODE}`
const AFTER = '(domain, response_code, position) > (?, ?, ?)'
const END_OF_PART = `
  SELECT domain, response_code, position FROM ${INDEXED} AND ${AFTER}
  ORDER BY domain, response_code, position LIMIT 1 OFFSET ${ENTRIES_AT_ONCE}`
const COUNT_PART = `
  SELECT domain, response_code, count(*) FROM ${INDEXED} AND ${AFTER}
    AND (domain, response_code, position) <= (?, ?, ?)
  GROUP BY domain, response_code`

type Entry = [domain: number, code: number, position: number]
const LAST: Entry = [Number.MAX_SAFE_INTEGER, CODES, 0]

export class CodeCounts {
  /** Of each domain the codes that it has, each followed by its count: few, so a list takes less room than a map. */
  readonly #byDomain = new Map<number, number[]>()

  learn({ codes }: DayCommit): void {
    for (const row of codes) this.#add(...row)
  }

  /** Adds the counts of the day in parts; yields after each. Later commits must be added separately. */
  *load(db: Database): Generator<undefined> {
    for (let after: Entry = [0, 0, 0]; ; ) {
      const end = db.allArrays<Entry>(END_OF_PART, ...after)[0]
      for (const row of db.allArrays<Entry>(COUNT_PART, ...after, ...(end ?? LAST))) this.#add(...row)
      if (!end) return
      after = end
      yield
    }
  }

  /** Events of the domain with codes in these ranges. */
  count(domain: number, ranges: readonly CodeRange[]): number {
    return this.list(domain, ranges).reduce((sum, { count }) => sum + count, 0)
  }

  /** Codes of the domain that are in these ranges. */
  list(domain: number, ranges: readonly CodeRange[]): readonly { readonly code: number; readonly count: number }[] {
    const found: { readonly code: number; readonly count: number }[] = []
    const own = this.#byDomain.get(domain) ?? []
    for (let at = 0; at < own.length; at += 2) {
      const [code, count] = [own[at] ?? 0, own[at + 1] ?? 0]
      if (ranges.some(({ from, to }) => code >= from && code <= to)) found.push({ code, count })
    }
    return found
  }

  #add(domain: number, code: number, count: number): void {
    const own = this.#byDomain.get(domain) ?? []
    let at = 0
    while (at < own.length && own[at] !== code) at += 2
    own[at] = code
    own[at + 1] = (own[at + 1] ?? 0) + count
    this.#byDomain.set(domain, own)
  }
}
