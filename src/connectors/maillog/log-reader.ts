/** Reads the log of a mail server line by line and correlates the lines of a message. Pure: lines in, records out. */
import type { MailLogRecord } from './maillog.ts'

export interface LogReader {
  /** A line with an outcome returns at least one record: the event, a problem, or why it is left out (`left_out`). */
  read(line: string): readonly MailLogRecord[]
  /** The number of lines in the format of this log, whether or not they produced records. */
  readonly understoodCount: number
  /** Flushes what is unfinished at the end of a file that will not grow any more. */
  finish?(): readonly MailLogRecord[]
  /** Entries changed since the last call; undefined for those that were forgotten. */
  takeChanges(): readonly (readonly [key: string, value: unknown])[]
}

export interface LogReaderOptions {
  /** The entries of an earlier reader of the same log. */
  readonly remembered: readonly (readonly [key: string, value: unknown])[]
  /** The host name of the mail server, for logs that do not name it. */
  readonly host: string
  /** Decides the year in logs that do not name it: the latest such date that is not in the future. */
  readonly nowMs: () => number
}
