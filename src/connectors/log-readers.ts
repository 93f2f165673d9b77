/** Mail servers whose logs are read line by line; the resulting records are sent in the format `maillog`. */
import { EximLog } from './exim/exim-log.ts'
import type { LogReader, LogReaderOptions } from './maillog/log-reader.ts'
import { PostfixLog } from './postfix/postfix-log.ts'
import { PowermtaLog } from './powermta/powermta-log.ts'

export type LogDialect = 'exim' | 'postfix' | 'powermta'

export const LOG_READERS: Readonly<Record<LogDialect, (options: LogReaderOptions) => LogReader>> = {
  exim: (options) => new EximLog(options),
  postfix: (options) => new PostfixLog(options),
  powermta: (options) => new PowermtaLog(options),
}

export const LOG_DIALECTS = Object.keys(LOG_READERS) as readonly LogDialect[]

/** Detects the format of a log from some of its lines. */
export function findLogDialect(lines: readonly string[], nowMs: () => number): LogDialect | undefined {
  return LOG_DIALECTS.find((dialect) => {
    const reader = LOG_READERS[dialect]({ remembered: [], host: '', nowMs })
    for (const line of lines) reader.read(line)
    return reader.understoodCount > 0
  })
}

export function isLogDialect(name: string): name is LogDialect {
  return Object.hasOwn(LOG_READERS, name)
}
