/** Passes the lines of a mail server's log to its reader, and encodes the resulting records for sending. */
import { findLogDialect, type LogDialect } from '../../connectors/log-readers.ts'
import { type LeftOutCounts, withoutLeftOut } from '../../connectors/maillog/left-out.ts'
import type { LogReader } from '../../connectors/maillog/log-reader.ts'
import { systemClock } from '../../lib/clock.ts'
import { formatCount } from '../text/text-table.ts'
import type { Report } from './feeds/feed.ts'
import type { Interpreter } from './run-tail.ts'

export interface LogInterpreterOptions {
  /** Mail of unknown domains is skipped instead of quarantined. */
  readonly skipsUnknownDomains: boolean
  readonly dialect: LogDialect
  readonly report: Report
}

/** If none of this many lines is understood, the log is of another kind. */
const LINES_MAX = 1000

export function logInterpreter(
  reader: LogReader,
  { skipsUnknownDomains, dialect, report }: LogInterpreterOptions,
): Interpreter {
  let lineCount = 0
  let isReported = false
  const reportMistake = (lines: readonly Buffer[]) => {
    lineCount += lines.length
    if (isReported || lineCount < LINES_MAX || reader.understoodCount > 0) return
    isReported = true
    report(
      `None of ${formatCount(lineCount, 'line')} was understood: this does not look like a log of ${dialect}.${hint(lines)}`,
    )
  }
  const skip = skipsUnknownDomains ? { if_unknown: 'skip' } : {}
  return {
    interpret(lines) {
      const leftOut: LeftOutCounts = {}
      const records = lines.flatMap((line) => withoutLeftOut(reader.read(line.toString('utf8')), leftOut))
      reportMistake(lines)
      return {
        leftOut,
        records: records.map((record) => Buffer.from(JSON.stringify({ ...record, ...skip }))),
        changes: reader.takeChanges(),
      }
    },
  }
}

function hint(lines: readonly Buffer[]): string {
  const dialect = findLogDialect(
    lines.slice(0, LINES_MAX).map((line) => line.toString('utf8')),
    systemClock,
  )
  return dialect === undefined ? '' : ` Did you mean tail ${dialect}?`
}
