/**
 * What is kept in memory about a day: counts by type and code, and which message ids it may have. Each part is loaded when it
 * is first needed, the larger ones in steps, and kept current by the commits of this process.
 */
import type { Database } from '../database/database.ts'
import { CodeCounts } from '../days/code-counts.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DaySummary } from '../days/day-summary.ts'
import { MessageIds } from '../days/message-ids.ts'
import { countMessages } from '../days/message-key.ts'
import type { LogSearch } from './log-search.ts'

/** A day with more messages has no filter of their ids: it would take too much memory, and too long to load. */
const IDS_MAX = 250_000

/** Commits are learned from the start; answers are right once it is loaded. */
interface Part<T> {
  readonly value: T
  isLoaded: boolean
}

export class DayKnowledge {
  readonly #db: Database
  #summary: DaySummary | undefined
  #codes: Part<CodeCounts> | undefined
  /** Null for a day with too many messages. */
  #messageIds: Part<MessageIds> | null | undefined

  constructor(db: Database) {
    this.#db = db
  }

  get isKnown(): boolean {
    return this.#summary !== undefined
  }

  get summary(): DaySummary {
    this.#summary ??= DaySummary.load(this.#db)
    return this.#summary
  }

  /** Undefined until they are loaded. */
  get codes(): CodeCounts | undefined {
    return this.#codes?.isLoaded ? this.#codes.value : undefined
  }

  /** True unless it is known that there is none. */
  mayHaveMessage(idHash: number): boolean {
    return !this.#messageIds?.isLoaded || this.#messageIds.value.mayHave(idHash)
  }

  learn(commit: DayCommit): void {
    if (this.#summary && !this.#summary.apply(commit)) this.forget()
    this.#codes?.value.learn(commit)
    if (this.#messageIds && !this.#messageIds.value.learn(commit.messageIds)) this.#messageIds = undefined
  }

  /** Loads everything again when it is next needed. */
  forget(): void {
    this.#summary = undefined
    this.#codes = undefined
    this.#messageIds = undefined
  }

  /** Also while another search is loading it: then the search does without. */
  isLoadedFor({ codes, messageId }: LogSearch): boolean {
    return !(codes && !this.#codes) && !(messageId && this.#messageIds === undefined)
  }

  /** Loads what the search needs; yields between steps. */
  *load({ codes, messageId }: LogSearch): Generator<undefined> {
    if (codes && !this.#codes) yield* this.#loadCodes()
    if (messageId && this.#messageIds === undefined) yield* this.#loadMessageIds()
  }

  *#loadCodes(): Generator<undefined> {
    const part = { value: new CodeCounts(), isLoaded: false }
    this.#codes = part
    try {
      yield* part.value.load(this.#db)
      part.isLoaded = true
    } finally {
      // Abandoned half-way: the next search starts again.
      if (!part.isLoaded && this.#codes === part) this.#codes = undefined
    }
  }

  *#loadMessageIds(): Generator<undefined> {
    const messages = countMessages(this.#db)
    if (messages > IDS_MAX) {
      this.#messageIds = null
      return
    }
    const part = { value: new MessageIds(messages), isLoaded: false }
    this.#messageIds = part
    try {
      yield* part.value.load(this.#db)
      part.isLoaded = true
    } finally {
      if (!part.isLoaded && this.#messageIds === part) this.#messageIds = undefined
    }
  }
}
