/** Gives the lines of a mail server's log to its reader, and the records that come of it a form to travel in. */
import { findLogDialect, type LogDialect } from '../../connectors/log-readers.ts'
import type { LogReader } from '../../connectors/maillog/log-reader.ts'
import { systemClock } from '../../lib/clock.ts'
import { formatCount } from '../text-table.ts'
import type { Report } from './feed.ts'
import type { Interpreter } from './run-tail.ts'

export interface LogInterpreterOptions {
  /** Mail of domains that Envelog does not know is passed over instead of kept in quarantine. */
  readonly skipsUnknownDomains: boolean
  readonly dialect: LogDialect
  readonly report: Report
}

/** After so many lines it is no accident that none was understood. */
const LINES_MAX = 1000

export function logInterpreter(
  reader: LogReader,
  { skipsUnknownDomains, dialect, report }: LogInterpreterOptions,
): Interpreter {
  let lineCount = 0
  let isTold = false
  const tellOfMistake = (lines: readonly Buffer[]) => {
    lineCount += lines.length
    if (isTold || lineCount < LINES_MAX || reader.understoodCount > 0) return
    isTold = true
    report(
      `Nothing in ${formatCount(lineCount, 'line')} is understood: they are not of the log of ${dialect}.${hint(lines)}`,
    )
  }
  const skip = skipsUnknownDomains ? { if_unknown: 'skip' } : {}
  return {
    interpret(lines) {
      const records = lines.flatMap((line) => reader.read(line.toString('utf8')))
      tellOfMistake(lines)
      return {
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
