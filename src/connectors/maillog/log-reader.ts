/** Reads the log of a mail server line by line and puts together what belongs together. Pure: lines in, records out. */
import type { MailLogRecord } from './maillog.ts'

export interface LogReader {
  read(line: string): readonly MailLogRecord[]
  /** How many of the lines so far have the form of this log, whether or not something came of them. */
  readonly understoodCount: number
  /** What is left at the end of a file to which nothing will be added. */
  finish?(): readonly MailLogRecord[]
  /** What is remembered differently than at the last call; undefined where it is forgotten. */
  takeChanges(): readonly (readonly [key: string, value: unknown])[]
}

export interface LogReaderOptions {
  /** What an earlier reader of the same log remembered. */
  readonly remembered: readonly (readonly [key: string, value: unknown])[]
  /** Of the mail server, where its log does not name it. */
  readonly host: string
  /** Where the log does not name the year, it is that of the last such day before now. */
  readonly nowMs: () => number
}
