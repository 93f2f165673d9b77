/** Reads one day's file: events of one or more domains newest first in slices, events by position, and counts. */
import type { EventText } from '../../../events/log/log-query.ts'
import type { Database, SqlValue } from '../database/database.ts'
import type { CodeCounts } from '../days/code-counts.ts'
import { type Day, startOfDay } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { identityRange } from '../days/message-identity.ts'
import { TextCandidates } from '../text-index/text-candidates.ts'
import { defineTextFunctions } from '../text-index/text-search.ts'
import { DayKnowledge } from './day-knowledge.ts'
import { type DayPlan, hasManyOfHash, planDay, type SearchedDay, type SearchThresholds } from './day-plan.ts'
import { type EventParts, toEventText } from './event-text.ts'
import type { LogSearch } from './log-search.ts'
import { RememberedTexts } from './remembered-texts.ts'
import { defineReplyFunction } from './reply-search.ts'
import { type SearchStatements, valuesOf } from './search-statements.ts'

export type FoundEvent = readonly [position: number, text: EventText]

/** One step of a search over a day. */
export interface DaySlice {
  /** Newest first. */
  readonly events: readonly FoundEvent[]
  /** Everything from here on was examined; undefined if nothing was, and at the end of the day. */
  readonly examinedFrom?: number
}

/** Domains by number, with their names as JSON strings, as they go into each event's text. */
export type NamesJson = ReadonlyMap<number, string>

/** From `from` (inclusive) to `before` (exclusive), at most `limit` events. */
export interface Extent {
  readonly from: number
  readonly before: number
  readonly limit: number
}

/** The first slice is small, because most pages fill with it. */
const FIRST_SLICE = 500
/** Target duration of a statement: other reads wait for it. Rows that have to be read from the disk take many times as long as others. */
const SLICE_MS = 2
/** Factor by which a stretch is changed if it has too many events, or far too few. */
const STRETCH_FACTOR = 4
/** A placeholder for the domain's name, replaced once the row's domain is known. It cannot occur in JSON. */
const NAME = '\u0001'
/** Nothing was examined: lets the caller share the thread. */
const PAUSE: DaySlice = { events: [] }

type PlanOf<Kind extends DayPlan['kind']> = DayPlan & { readonly kind: Kind }

export class DayReader implements SearchedDay {
  readonly day: Day
  readonly db: Database
  readonly thresholds: SearchThresholds
  readonly candidates: TextCandidates
  /** The history index has found this day by the message id, if one is searched for: it needs no filter of its own. */
  isSummarized = false
  readonly #start: number
  readonly #statements: SearchStatements
  readonly #texts: RememberedTexts
  readonly #known: DayKnowledge

  constructor(day: Day, db: Database, statements: SearchStatements, thresholds: SearchThresholds) {
    this.day = day
    this.db = db
    this.thresholds = thresholds
    this.candidates = new TextCandidates(db)
    this.#known = new DayKnowledge(db)
    this.#start = startOfDay(day)
    this.#statements = statements
    this.#texts = new RememberedTexts(db)
    defineTextFunctions(db)
    defineReplyFunction(db)
  }

  /** Whether the summary is in memory. */
  get isKnown(): boolean {
    return this.#known.isKnown
  }

  /** As of the last known commit. */
  get summary(): DaySummary {
    return this.#known.summary
  }

  get codes(): CodeCounts | undefined {
    return this.#known.codes
  }

  /** False if the counts in memory rule out a match. */
  mayHave(domains: readonly number[], { messageId, types }: LogSearch): boolean {
    if (messageId && !this.mayHaveMessage(messageId.hash)) return false
    for (const domain of domains) if (this.summary.count(domain, types) > 0) return true
    return false
  }

  mayHaveMessage(idHash: number): boolean {
    return this.#known.mayHaveMessage(idHash)
  }

  learn(commit: DayCommit): void {
    this.#known.learn(commit)
  }

  forget(): void {
    this.#known.forget()
  }

  forgetTexts(): void {
    this.#texts.clear()
  }

  close(): void {
    this.db.close()
  }

  /** Slice by slice until the limit is reached or the day is done. Between two slices the caller may stop or share the thread. */
  *search(names: NamesJson, search: LogSearch, extent: Extent): Generator<DaySlice> {
    const needed = { codes: search.codes, messageId: this.isSummarized ? undefined : search.messageId }
    if (!this.#known.isLoadedFor(needed)) for (const _ of this.#known.load(needed)) yield PAUSE
    const planned = planDay(this, [...names.keys()], search, extent.limit)
    yield* this.#run('kind' in planned ? planned : yield* pauseIn(planned), names, search, extent)
  }

  /** The events at these positions that match, unordered. */
  listAt(positions: readonly number[], names: NamesJson, search: LogSearch): readonly FoundEvent[] {
    return this.#listMany(
      this.#statements.at(search),
      names,
      JSON.stringify(positions),
      ...search.residuals.event.values,
    )
  }

  *#run(plan: DayPlan, names: NamesJson, search: LogSearch, extent: Extent): Generator<DaySlice> {
    const { from, before, limit } = extent
    const tail = () => [from, before, ...search.residuals.event.values, limit]
    switch (plan.kind) {
      case 'nothing':
        return
      case 'scan':
        return yield {
          events: this.#list(this.#statements.ofDomain(search), names, plan.domain, plan.domain, ...tail()),
        }
      case 'message':
        return yield* this.#runMessage(plan, names, search, extent)
      case 'candidates':
        return yield { events: this.#listCandidates(plan, names, search, tail()) }
      case 'walk':
        return yield* this.#walk(plan, names, search, extent)
      case 'walk many':
        return yield* this.#walkMany(plan, names, search, extent)
      case 'stretches':
        return yield* this.#searchStretches(plan, names, search, extent)
    }
  }

  *#runMessage(plan: PlanOf<'message'>, names: NamesJson, search: LogSearch, extent: Extent): Generator<DaySlice> {
    const { domain, idHash } = plan
    const { from, before, limit } = extent
    const { sortedMax } = this.thresholds
    const found = this.#list(
      this.#statements.ofMessageId(search),
      names,
      domain,
      ...identityRange(idHash),
      sortedMax + 1,
      domain,
      from,
      before,
      ...search.residuals.event.values,
      sortedMax + 1,
    )
    const isMailing = found.length > sortedMax || (found.length === 0 && hasManyOfHash(this.db, idHash, sortedMax))
    if (isMailing) return yield* this.#run(plan.walk, names, search, extent)
    yield { events: found.toSorted(newestFirst).slice(0, limit) }
  }

  /** Sorts, but only the events of a bounded number of messages. */
  #listCandidates(plan: PlanOf<'candidates'>, names: NamesJson, search: LogSearch, tail: SqlValue[]) {
    const messages = JSON.stringify(plan.messages)
    const [only] = plan.domains
    if (only !== undefined && plan.domains.length === 1) {
      return this.#list(this.#statements.ofMessages(search), names, only, messages, only, ...tail)
    }
    return this.#listMany(
      this.#statements.ofMessagesOfMany(search),
      names,
      messages,
      JSON.stringify(plan.domains),
      ...tail,
    )
  }

  *#walk(
    plan: PlanOf<'walk'>,
    names: NamesJson,
    search: LogSearch,
    { from, before, limit }: Extent,
  ): Generator<DaySlice> {
    const { index, values, domain, rows } = plan
    const residual = search.residuals[index]
    const sql = this.#statements.walk(index, search)
    const list = (lower: number, upper: number, missing: number) =>
      this.#list(sql, names, domain, ...values, lower, upper, ...residual.values, missing)
    // Every row matches: the page itself bounds the statement.
    if (residual.sql === '') return yield { events: list(from, before, limit) }
    const endOfSlice = (upper: number, rows: number) =>
      this.db.get<{ position: number }>(this.#statements.endOfSlice(index), ...values, from, upper, rows - 1)?.position
    yield* this.#slices({ from, before, limit, rows }, list, endOfSlice)
  }

  *#walkMany(
    { domains }: PlanOf<'walk many'>,
    names: NamesJson,
    search: LogSearch,
    extent: Extent,
  ): Generator<DaySlice> {
    const sql = this.#statements.walkMany(search)
    const own = JSON.stringify(domains)
    const list = (lower: number, upper: number, missing: number) =>
      this.#listMany(sql, names, lower, upper, own, ...search.residuals.event.values, missing)
    const endOfSlice = (upper: number, rows: number) =>
      this.db.get<{ position: number }>(
        'SELECT position FROM event WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT 1 OFFSET CAST(? AS INTEGER)',
        extent.from,
        upper,
        rows - 1,
      )?.position
    yield* this.#slices({ ...extent, rows: this.summary.events }, list, endOfSlice)
  }

  /** Slices of a bounded number of rows each; `rows`: how many there are at most. */
  *#slices(
    { from, before, limit, rows }: Extent & { readonly rows: number },
    list: (lower: number, upper: number, missing: number) => readonly FoundEvent[],
    endOfSlice: (upper: number, rows: number) => number | undefined,
  ): Generator<DaySlice> {
    let rowsLeft = rows
    let upper = before
    let sliceRows = Math.min(FIRST_SLICE, this.thresholds.sliceRows)
    let missing = limit
    while (missing > 0) {
      if (rowsLeft <= sliceRows) return yield { events: list(from, upper, missing) }
      const startedMs = performance.now()
      const lower = endOfSlice(upper, sliceRows) ?? from
      const events = list(lower, upper, missing)
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      rowsLeft -= sliceRows
      sliceRows = nextSlice(sliceRows, performance.now() - startedMs, this.thresholds.sliceRows)
    }
  }

  /** The length of time that makes a slice is not known beforehand: it is estimated, measured and corrected. */
  *#searchStretches(
    plan: PlanOf<'stretches'>,
    names: NamesJson,
    search: LogSearch,
    extent: Extent,
  ): Generator<DaySlice> {
    // Events may cover only a part of the window, as those of today do.
    const { oldest, newest } = this.#bounds()
    const from = Math.max(extent.from, oldest)
    let upper = Math.min(extent.before, newest + 1)
    if (from >= upper) return
    const { index } = plan.driver
    const values = valuesOf(plan.driver)
    const span = upper - from
    let sliceRows = Math.min(4 * FIRST_SLICE, this.thresholds.sliceRows)
    let length = Math.ceil((span * Math.min(sliceRows / 2, 2 * extent.limit)) / plan.events)
    let missing = extent.limit
    while (missing > 0) {
      const startedMs = performance.now()
      const lower = Math.max(from, upper - length)
      const rows = this.#countStretch(plan, lower, upper, sliceRows + 1)
      if (rows > sliceRows && upper - lower > 1) {
        length = Math.ceil((upper - lower) / STRETCH_FACTOR)
        yield PAUSE
        continue
      }
      const residual = search.residuals[index].values
      const sql = this.#statements.listStretch(index, search)
      const events = rows === 0 ? [] : this.#listMany(sql, names, ...values, lower, upper, ...residual, missing)
      missing -= events.length
      if (lower === from) return yield { events }
      yield { events, examinedFrom: lower }
      upper = lower
      sliceRows = nextSlice(sliceRows, performance.now() - startedMs, this.thresholds.sliceRows)
      if (rows * STRETCH_FACTOR < sliceRows) length = Math.min(span, length * STRETCH_FACTOR)
    }
  }

  #countStretch({ driver }: PlanOf<'stretches'>, from: number, before: number, most: number): number {
    const sql = this.#statements.countStretch(driver.index)
    return this.db.number(sql, ...valuesOf(driver), from, before, most)
  }

  #bounds(): { readonly oldest: number; readonly newest: number } {
    const row = this.db.get<{ oldest: number | null; newest: number | null }>(
      'SELECT (SELECT min(position) FROM event) AS oldest, (SELECT max(position) FROM event) AS newest',
    )
    return { oldest: row?.oldest ?? 0, newest: row?.newest ?? -1 }
  }

  /** A statement over one domain, without its first two values. */
  #list(sql: string, names: NamesJson, domain: number, ...values: SqlValue[]): readonly FoundEvent[] {
    const texts = this.#texts
    // The shared texts of the same moment: those of erased events are removed.
    return this.db.snapshot(() => {
      const rows = this.db.allArrays<[number, ...EventParts]>(sql, this.#start, names.get(domain) ?? '""', ...values)
      return rows.map((row) => [row[0], toEventText(texts, row[1], row[2], row[3], row[4])])
    })
  }

  /** A statement over many domains, without its first two values. */
  #listMany(sql: string, names: NamesJson, ...values: SqlValue[]): readonly FoundEvent[] {
    const found = this.db.snapshot(() => {
      const rows = this.db.allArrays<[number, number, ...EventParts]>(sql, this.#start, NAME, ...values)
      return rows.map(([position, domain, endingKey, own, nextAttempt, origin]): FoundEvent => {
        const text = toEventText(this.#texts, endingKey, own, nextAttempt, origin)
        const at = text.indexOf(NAME)
        return [position, `${text.slice(0, at)}${names.get(domain)}${text.slice(at + 1)}`]
      })
    })
    // Usually in order already, but that depends on SQLite's plan.
    return found.sort(newestFirst)
  }
}

/** Grows step by step, as far as the target duration allows. */
export function nextSlice(rows: number, tookMs: number, max: number): number {
  const affordable = Math.ceil((rows * SLICE_MS) / tookMs)
  return Math.min(max, Math.max(FIRST_SLICE, Math.min(rows * 4, affordable)))
}

function* pauseIn<T>(steps: Generator<undefined, T>): Generator<DaySlice, T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield PAUSE
  }
}

function newestFirst([a]: FoundEvent, [b]: FoundEvent): number {
  return b - a
}
