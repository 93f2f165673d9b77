/** Backup, recount and repair: the lines of their responses. */
import * as t from '../../../../lib/json-schema.ts'

export const DayParams = t.object({ day: t.text('UTC, such as `2026-01-31`.') })

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
  folder: t.text("Absolute path of a new or empty folder on the server's machine.", { minLength: 1 }),
  withoutSecret: t.optional(t.flag('Whether to leave `master.key` out. The copy cannot be restored without it.')),
})

/** While a backup runs. */
export interface BackupProgress {
  readonly file: string
}

/** The last line of a backup. */
export interface BackupResult {
  readonly folder: string
  readonly files: readonly string[]
  /** The secret that a restore needs. Not included: the operator keeps it, or asked to leave it out. */
  readonly secret: { readonly id: string; readonly isIncluded: boolean }
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
