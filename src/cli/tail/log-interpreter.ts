/** Gives the lines of a mail server's log to its reader, and the records that come of it a form to travel in. */
import type { LogReader } from '../../connectors/maillog/log-reader.ts'
import type { Interpreter } from './run-tail.ts'

export interface LogInterpreterOptions {
  /** Mail of domains that Envelog does not know is passed over instead of kept in quarantine. */
  readonly skipsUnknownDomains: boolean
}

export function logInterpreter(reader: LogReader, { skipsUnknownDomains }: LogInterpreterOptions): Interpreter {
  const skip = skipsUnknownDomains ? { if_unknown: 'skip' } : {}
  return {
    interpret(lines) {
      const records = lines.flatMap((line) => reader.read(line.toString('utf8')))
      return {
        records: records.map((record) => Buffer.from(JSON.stringify({ ...record, ...skip }))),
        changes: reader.takeChanges(),
      }
    },
  }
}
