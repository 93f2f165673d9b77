/** The writing side of a day's trigram index: messages are added with their commit, and segments merged when there is time. */
import type { Database } from '../database.ts'
import { countMessages } from './message-key.ts'
import { defineTextFunctions, SELECT_INDEXED_TEXT } from './text-search.ts'

/** One statement for all new messages: FTS5 flushes at every statement, and a row at a time costs four times as much. */
const ADD = `INSERT INTO message_text (rowid, text) ${SELECT_INDEXED_TEXT}`

/**
 * FTS5 leaves a segment per commit and merges them only now and then; every segment is asked in every search. A negative
 * number of pages begins a merge of all of them, a positive one goes on (https://sqlite.org/fts5.html#the_merge_command).
 */
const MERGE = "INSERT INTO message_text (message_text, rank) VALUES ('merge', ?)"
/** Some ten milliseconds. */
const MERGE_PAGES = 64

/** Merging is worth it after so many messages, if they are a tenth of the day's. */
const UNMERGED_MAX = 500
const UNMERGED_SHARE_MAX = 0.1

export class TextIndex {
  readonly #db: Database
  #unmerged = 0
  #isMerging = false

  constructor(db: Database) {
    this.#db = db
    defineTextFunctions(db)
  }

  /** All of them must be new, and in the order of their numbers: FTS5 starts another segment where that falls back. */
  add(messageKeys: readonly number[]): void {
    this.#unmerged += this.#db.run(ADD, JSON.stringify(messageKeys)).changes
  }

  get isMergeDue(): boolean {
    return this.#isMerging || this.#isMergeWorthIt()
  }

  /** Does a step in a transaction of its own; true while there is more to do. */
  merge(): boolean {
    const pages = this.#isMerging ? MERGE_PAGES : -MERGE_PAGES
    // Fewer than two changes tell that nothing was left to merge.
    this.#isMerging = this.#db.transaction(() => this.#db.countChanges(() => this.#db.run(MERGE, pages))) > 1
    if (!this.#isMerging) this.#unmerged = 0
    return this.#isMerging
  }

  #isMergeWorthIt(): boolean {
    if (this.#unmerged < UNMERGED_MAX) return false
    return this.#unmerged > countMessages(this.#db) * UNMERGED_SHARE_MAX
  }
}
