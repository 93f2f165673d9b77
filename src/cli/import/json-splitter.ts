/** Splits JSON into records. A source without any JSON is refused, so that it does not fill the quarantine. */
import { AppError } from '../../lib/app-error.ts'
import { formatCount } from '../text/text-table.ts'
import type { Splitter } from './import-records.ts'
import { RecordSplitter, type SplitRecord } from './record-splitter.ts'
import { isJson, LINES_LOOKED_AT, suggestFormat } from './suggest-format.ts'

export class JsonSplitter implements Splitter {
  readonly #splitter = new RecordSplitter()
  /** The first records, until one of them is JSON. */
  #held: readonly SplitRecord[] | undefined = []

  /** Throws AppError `invalid_payload` when there are enough records and none is JSON, and what RecordSplitter throws. */
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
      this.#held = undefined
      return held
    }
    if (first.length === LINES_LOOKED_AT || (isEnd && first.length > 0)) throw refusal(first)
    this.#held = held
    return []
  }
}

function refusal(records: readonly SplitRecord[]): AppError {
  const lines = records.map(({ bytes }) => bytes.toString('utf8'))
  const count = formatCount(lines.length, 'line is', 'lines are')
  return new AppError('invalid_payload', `the first ${count} not JSON; nothing was imported. ${suggestFormat(lines)}`)
}
