/** Guesses the format of a file that was not understood, by its first lines. */
import { findLogDialect, LOG_DIALECTS } from '../../connectors/log-readers.ts'
import { systemClock } from '../../lib/clock.ts'

export const LINES_LOOKED_AT = 100

export function suggestFormat(lines: readonly string[]): string {
  const dialect = findLogDialect(lines, systemClock)
  if (dialect !== undefined) return `Did you mean --format ${dialect}?`
  if (lines.some(isJson)) return 'It is JSON: did you mean --format native?'
  return `Logs of mail servers are read with --format ${LOG_DIALECTS.join(' or ')}.`
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
