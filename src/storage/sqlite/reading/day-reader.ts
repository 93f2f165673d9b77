/** Reads one day's file: pages of a domain newest first, the events of a message, the day's counts. */
import type { EventText } from '../../../events/event-query.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { type Day, startOfDay } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DaySummary } from '../days/day-summary.ts'
import { MessageIds } from '../days/message-ids.ts'
import { countMessages } from '../days/message-key.ts'
import { TextCandidates } from '../text-index/text-candidates.ts'
import { defineTextFunctions } from '../text-index/text-search.ts'
import { identityRange } from '../writing/event-row.ts'
import { countMatching, type DaySearch, planDaySearch, type SearchThresholds } from './day-search.ts'
import type { EventSearch } from './event-search.ts'
import { type EventParts, toEventText } from './event-text.ts'
import { RememberedTexts } from './remembered-texts.ts'
import type { SearchStatements } from './search-statements.ts'

export type FoundEvent = readonly [position: number, text: EventText]

/** What a search over a day has covered so far. */
export interface DaySlice {
  readonly events: readonly FoundEvent[]
  /** Everything from here on was examined; undefined when the day is done. */
  readonly examinedFrom?: number
}

/** Rows examined by one statement, so that no statement holds up the thread: small at first, as most pages fill at once. */
const FIRST_SLICE = 500
const SLICE_MAX = 16_000
/** What a statement should take at most. Rows that have to come from the disk take many times as long as others. */
const SLICE_MS = 8
/** Read on the thread that serves. */
const IDS_MAX = 250_000

export class DayReader {
  readonly day: Day
  readonly #start: number
  readonly #db: Database
  readonly #statements: SearchStatements
  readonly #thresholds: SearchThresholds
  readonly candidates: TextCandidates
  readonly texts: RememberedTexts
  #summary: DaySummary | undefined
  /** Null for a day with too many to keep. */
  #messageIds: MessageIds | null | undefined

  constructor(day: Day, db: Database, statements: SearchStatements, thresholds: SearchThresholds) {
    this.day = day
    this.#start = startOfDay(day)
    this.#db = db
    this.#statements = statements
    this.#thresholds = thresholds
    this.candidates = new TextCandidates(db)
    this.texts = new RememberedTexts(db)
    defineTextFunctions(db)
  }

  /** What the day holds, as of the last commit that this process knows of. */
  get summary(): DaySummary {
    this.#summary ??= DaySummary.load(this.#db)
    return this.#summary
  }

  /** Told of a commit of this process. */
  learn(commit: DayCommit): void {
    if (this.#summary && !this.#summary.apply(commit)) this.#forget()
    if (this.#messageIds && !this.#messageIds.learn(commit.messageIds)) this.#messageIds = undefined
  }

  /** Notices what others have committed; true when that is so. */
  catchUp(): boolean {
    if (!this.#summary || this.#summary.isCurrent(this.#db)) return false
    this.#forget()
    return true
  }

  #forget(): void {
    this.#summary = undefined
    this.#messageIds = undefined
  }

  /** False when the day has nothing that matches. */
  mayHave(domainNumber: number, search: EventSearch): boolean {
    return countMatching(this.summary, domainNumber, search) > 0
  }

  /**
   * Events of the domain from `from` (inclusive) up to `before` (exclusive), newest first, slice by slice until `limit`
   * events are found or the day is done. Between two slices the caller may stop or let others have the thread.
   */
  *search(
    domain: DomainOfSearch,
    search: EventSearch,
    from: number,
    before: number,
    limit: number,
  ): Generator<DaySlice> {
    const day = { summary: this.summary, candidates: this.candidates, thresholds: this.#thresholds }
    const plan = planDaySearch(day, domain.number, search, limit)
    if (plan.kind === 'nothing') return
    if (plan.kind === 'candidates') {
      yield { events: this.#findAmong(plan.messages, search, domain, from, before, limit) }
      return
    }
    if (plan.kind === 'scan') {
      const values = [domain.number, from, before, ...search.residuals.event.values, limit]
      yield { events: this.#list(this.#statements.ofDomain(search), domain, ...values) }
      return
    }
    const isExact = search.residuals[plan.index].sql === ''
    let rowsLeft = isExact ? 0 : plan.rows
    let upper = before
    let sliceRows = FIRST_SLICE
    let missing = limit
    while (missing > 0) {
      const startedMs = performance.now()
      const lower = rowsLeft <= sliceRows ? from : (this.#endOfSlice(plan, from, upper, sliceRows) ?? from)
      const events = this.#walk(plan, search, domain, lower, upper, missing)
      const tookMs = performance.now() - startedMs
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      rowsLeft -= sliceRows
      sliceRows = nextSlice(sliceRows, tookMs)
    }
  }

  listByMessage(domain: DomainOfSearch, messageId: string, idHash: number): readonly EventText[] {
    if (this.summary.count(domain.number) === 0 || !this.#mayHaveMessage(idHash)) return []
    const values = [...identityRange(idHash), domain.number, messageId]
    return this.#list(this.#statements.byMessageId(), domain, ...values).map(([, text]) => text)
  }

  #mayHaveMessage(idHash: number): boolean {
    if (this.#messageIds === undefined) {
      this.#messageIds = MessageIds.load(this.#db, countMessages(this.#db), IDS_MAX) ?? null
    }
    return this.#messageIds === null || this.#messageIds.mayHave(idHash)
  }

  get database(): Database {
    return this.#db
  }

  close(): void {
    this.#db.close()
  }

  #walk(
    { index, values }: Walk,
    search: EventSearch,
    domain: DomainOfSearch,
    from: number,
    before: number,
    limit: number,
  ): readonly FoundEvent[] {
    const residual = search.residuals[index].values
    return this.#list(this.#statements.walk(index, search), domain, ...values, from, before, ...residual, limit)
  }

  /** The position that closes a slice of so many rows; undefined when fewer are left. */
  #endOfSlice({ index, values }: Walk, from: number, before: number, rows: number): number | undefined {
    const sql = this.#statements.endOfSlice(index)
    return this.#db.get<{ position: number }>(sql, ...values, from, before, rows - 1)?.position
  }

  /** Sorts, but only the events of a bounded number of messages. */
  #findAmong(
    messages: readonly number[],
    search: EventSearch,
    domain: DomainOfSearch,
    from: number,
    before: number,
    limit: number,
  ): readonly FoundEvent[] {
    const values: SqlValue[] = [JSON.stringify(messages), domain.number, from, before]
    return this.#list(this.#statements.ofMessages(search), domain, ...values, ...search.residuals.event.values, limit)
  }

  /** A statement of SearchStatements, without its first two values. */
  #list(sql: string, domain: DomainOfSearch, ...values: SqlValue[]): readonly FoundEvent[] {
    const rows = this.#db.allArrays<[number, ...EventParts]>(sql, this.#start, domain.nameJson, ...values)
    const { texts } = this
    return rows.map((row) => [row[0], toEventText(texts, row[1], row[2])])
  }
}

/** Larger step by step, as long as that takes no longer than it may. */
function nextSlice(rows: number, tookMs: number): number {
  const affordable = Math.ceil((rows * SLICE_MS) / Math.max(tookMs, 0.001))
  return Math.max(FIRST_SLICE, Math.min(rows * 4, SLICE_MAX, affordable))
}

type Walk = DaySearch & { readonly kind: 'walk' }

export interface DomainOfSearch {
  readonly number: number
  /** The name as a JSON string, as it goes into each event's text. */
  readonly nameJson: string
}
