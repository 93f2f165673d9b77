/** Splits JSON into records. A source without any JSON, or a log in JSON, is refused, so that it does not fill the quarantine. */
import { findLogDialect } from '../../connectors/log-readers.ts'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { formatCount } from '../text/text-table.ts'
import type { Splitter } from './import-records.ts'
import { RecordSplitter, type SplitRecord } from './record-splitter.ts'
import { isJson, LINES_LOOKED_AT, suggestFormat } from './suggest-format.ts'

export class JsonSplitter implements Splitter {
  readonly #splitter = new RecordSplitter()
  /** The first records, until one of them is JSON. */
  #held: readonly SplitRecord[] | undefined = []

  /** Throws AppError `invalid_payload` if the first records are a log or none of them is JSON, and what RecordSplitter throws. */
  push(chunk: Buffer): readonly SplitRecord[] {
    return this.#pass(this.#splitter.push(chunk), false)
  }

  end(): readonly SplitRecord[] {
    return this.#pass(this.#splitter.end(), true)
  }

  #pass(records: readonly SplitRecord[], isEnd: boolean): readonly SplitRecord[] {
    if (!this.#held) return records
    const held = [...this.#held, ...records]
    const first = held.slice(0, LINES_LOOKED_AT)
    if (first.some(({ bytes }) => isJson(bytes.toString('latin1')))) {
      refuseLog(first)
      this.#held = undefined
      return held
    }
    if (first.length === LINES_LOOKED_AT || (isEnd && first.length > 0)) throw refusal(first)
    this.#held = held
    return []
  }
}

/** Such as the journal, or PowerMTA's records: as events, every single line would be rejected. */
function refuseLog(records: readonly SplitRecord[]): void {
  const dialect = findLogDialect(
    records.map(({ bytes }) => bytes.toString('utf8')),
    systemClock,
  )
  if (dialect === undefined) return
  const words = `it is the log of a mail server; nothing was imported. Did you mean --format ${dialect}?`
  throw new AppError('invalid_payload', words)
}

function refusal(records: readonly SplitRecord[]): AppError {
  const lines = records.map(({ bytes }) => bytes.toString('utf8'))
  const count = formatCount(lines.length, 'line is', 'lines are')
  return new AppError('invalid_payload', `the first ${count} not JSON; nothing was imported. ${suggestFormat(lines)}`)
}
