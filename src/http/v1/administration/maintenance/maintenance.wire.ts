/** Backup, recount and repair: the lines of their responses. */
import * as t from '../../../../lib/json-schema.ts'

export const DayParams = t.object({ day: t.text('UTC, such as `2026-01-31`.') })

export const RecountQuery = t.object({
  repair: t.optional(t.flag('`true`: also correct the counters. Only for events in ClickHouse.')),
})

/** While a repair runs. */
export interface RepairProgress {
  readonly percent: number
}

/** The last line of a repair. */
export interface RepairResult {
  readonly day: string
  /** Events. */
  readonly saved: number
  readonly lost: number
  /** Lost events of each of the 24 hours (UTC); those whose hour is not known are in none of them. */
  readonly lostByHour: readonly number[]
  readonly damagedPages: number
  /** Tables with something else than events that could not be read. */
  readonly lostTables: readonly string[]
  /** The name under which the damaged file is kept in the folder of events. */
  readonly keptAs: string
}

export const BackupBody = t.object({
  folder: t.text("Absolute path of the folder of backups on the server's machine. It is created if it is missing.", {
    minLength: 1,
  }),
  keep: t.optional(
    t.integer('How many backups to keep, including the new one; the oldest are removed. By default all are kept.', {
      minimum: 1,
      maximum: 10_000,
    }),
  ),
  withoutSecret: t.optional(t.flag('Whether to leave `master.key` out. The copy cannot be restored without it.')),
})

/** While a backup runs: a file that was copied, or how far the present one is. */
export interface BackupProgressLine {
  readonly file?: string
  readonly copying?: string
  /** Copied so far, of all files. */
  readonly bytes: number
  readonly bytesTotal: number
}

/** The last line of a backup. */
export interface BackupResult {
  /** The new backup, a folder in the folder of backups. */
  readonly folder: string
  readonly files: readonly string[]
  /** Of all files, and of those that were copied: the others have not changed since the last backup. */
  readonly bytes: number
  readonly copiedBytes: number
  /** Days that are damaged or missing. `file`: their bytes as they were found, in the backup. */
  readonly problems: readonly { readonly day: string; readonly problem: string; readonly file?: string }[]
  /** Backups that were removed. */
  readonly removed: readonly string[]
  /** The secret that a restore needs. Not included: the operator keeps it, or asked to leave it out. */
  readonly secret?: { readonly id: string; readonly isIncluded: boolean }
}

/** While a recount runs. */
export interface RecountProgress {
  /** What was counted, such as a day. */
  readonly counted: string
}

/** The last line of a recount. */
export interface RecountResult {
  /** Whether every counter is correct. */
  readonly ok: boolean
  readonly differences: readonly string[]
}
