/**
 * Overwrites what deleted rows have left in the control file and its WAL. Deleted content is overwritten at once (secure_delete), but
 * pages that were split or merged keep copies in their gaps: only rewriting the file removes them.
 */
import { dirname } from 'node:path'
import type { Database } from '../database/database.ts'

export interface ScrubLimits {
  /** Up to this size it is rewritten for every removal, which takes the writing thread about half a second. */
  readonly smallBytes: number
  /** Up to this size (a large quarantine) all removals of an interval share one rewrite: ingest pauses for some seconds. */
  readonly largeBytes: number
  readonly everyMs: number
}

const LIMITS: ScrubLimits = { smallBytes: 64 * 2 ** 20, largeBytes: 2 * 2 ** 30, everyMs: 600_000 }

export class ControlScrub {
  readonly #control: Database
  readonly #limits: ScrubLimits
  /** Whether something was deleted since it was last rewritten; not known at the start. */
  #isDirty = true
  #rewrittenMs = Number.NEGATIVE_INFINITY

  constructor(control: Database, limits = LIMITS) {
    this.#control = control
    this.#limits = limits
  }

  /** Rows were deleted whose content must not be left. */
  noteDeletion(): void {
    this.#isDirty = true
  }

  /** False if it has to be called again: a reader has the WAL in use, or a large file was rewritten a moment ago. */
  run(): boolean {
    const { smallBytes, largeBytes, everyMs } = this.#limits
    const bytes = this.#control.number('PRAGMA page_count') * this.#control.number('PRAGMA page_size')
    if (this.#isDirty && bytes <= largeBytes) {
      if (bytes > smallBytes && performance.now() - this.#rewrittenMs < everyMs) return false
      this.#rewrite()
    }
    return this.#control.number('PRAGMA wal_checkpoint(TRUNCATE)') === 0
  }

  #rewrite(): void {
    const folder = dirname(this.#control.path).replaceAll("'", "''")
    // The copy that it makes may be too much for the memory, and the system's folder for such files may be small.
    this.#control.execute(`PRAGMA temp_store = FILE; PRAGMA temp_store_directory = '${folder}'`)
    try {
      this.#control.execute('VACUUM')
    } finally {
      this.#control.execute('PRAGMA temp_store = MEMORY')
    }
    this.#isDirty = false
    this.#rewrittenMs = performance.now()
  }
}
