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

interface Parts {
  codes?: Part<CodeCounts>
  /** Null for a day with too many messages. */
  messageIds?: Part<MessageIds> | null
}

type Needs = Pick<LogSearch, 'codes' | 'messageId'>

export class DayKnowledge {
  readonly #db: Database
  #summary: DaySummary | undefined
  #parts: Parts = {}

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
    return this.#parts.codes?.isLoaded ? this.#parts.codes.value : undefined
  }

  /** True unless it is known that there is none. */
  mayHaveMessage(idHash: number): boolean {
    const { messageIds } = this.#parts
    return !messageIds?.isLoaded || messageIds.value.mayHave(idHash)
  }

  learn(commit: DayCommit): void {
    if (this.#summary && !this.#summary.apply(commit)) this.forget()
    const { codes, messageIds } = this.#parts
    codes?.value.learn(commit)
    if (messageIds && !messageIds.value.learn(commit.messageIds)) delete this.#parts.messageIds
  }

  /** Loads everything again when it is next needed. */
  forget(): void {
    this.#summary = undefined
    this.#parts = {}
  }

  /** True also while another search is loading it: this search then runs without it. */
  isLoadedFor({ codes, messageId }: Needs): boolean {
    return !(codes && !this.#parts.codes) && !(messageId && this.#parts.messageIds === undefined)
  }

  /** Loads what the search needs; yields between steps. */
  *load({ codes, messageId }: Needs): Generator<undefined> {
    if (codes && !this.#parts.codes) yield* this.#loadPart('codes', new CodeCounts())
    if (messageId && this.#parts.messageIds === undefined) yield* this.#loadMessageIds()
  }

  *#loadMessageIds(): Generator<undefined> {
    const messages = countMessages(this.#db)
    if (messages > IDS_MAX) this.#parts.messageIds = null
    else yield* this.#loadPart('messageIds', new MessageIds(messages))
  }

  *#loadPart<Name extends keyof Parts>(name: Name, value: NonNullable<Parts[Name]>['value']): Generator<undefined> {
    const part = { value, isLoaded: false } as NonNullable<Parts[Name]>
    this.#parts[name] = part
    try {
      yield* value.load(this.#db)
      part.isLoaded = true
    } finally {
      // Abandoned half-way: the next search starts again.
      if (!part.isLoaded && this.#parts[name] === part) delete this.#parts[name]
    }
  }
}
