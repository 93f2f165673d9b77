/** Turns the log of a mail server into the records that its reader recognizes, a chunk at a time. */
import type { LogDialect } from '../../connectors/log-readers.ts'
import { type LeftOutCounts, withoutLeftOut } from '../../connectors/maillog/left-out.ts'
import type { LogReader } from '../../connectors/maillog/log-reader.ts'
import type { MailLogRecord } from '../../connectors/maillog/maillog.ts'
import { AppError } from '../../lib/app-error.ts'
import { LineSplitter } from '../files/line-splitter.ts'
import { formatCount } from '../text/text-table.ts'
import type { Splitter } from './import-records.ts'
import type { SplitRecord } from './record-splitter.ts'
import { LINES_LOOKED_AT, suggestFormat } from './suggest-format.ts'

export class LogSplitter implements Splitter {
  readonly leftOut: LeftOutCounts = {}
  readonly #lines = new LineSplitter()
  readonly #dialect: LogDialect
  readonly #reader: LogReader
  readonly #understoodBefore: number
  /** The first lines. */
  readonly #beginning: string[] = []
  #line = 0
  #recordCount = 0

  /** Files share a reader: a message may begin in one and end in the next. */
  constructor(dialect: LogDialect, reader: LogReader) {
    this.#dialect = dialect
    this.#reader = reader
    this.#understoodBefore = reader.understoodCount
  }

  /** Throws AppError `invalid_payload` if there are only records to reject and no line was ever understood. */
  push(chunk: Buffer): readonly SplitRecord[] {
    const records = this.#read(this.#lines.push(chunk))
    // An import is never resumed.
    this.#reader.takeChanges()
    this.#recordCount += records.length
    const mistake = this.#recordCount >= LINES_LOOKED_AT ? this.findMistake() : undefined
    if (mistake !== undefined) throw new AppError('invalid_payload', mistake)
    return records
  }

  end(): readonly SplitRecord[] {
    return [...this.#read(this.#lines.finish()), ...this.#toSplit(this.#reader.finish?.() ?? [])]
  }

  findMistake(): string | undefined {
    if (this.#line === 0 || this.#reader.understoodCount > this.#understoodBefore) return undefined
    const count = formatCount(this.#line, 'line')
    return `nothing in it (${count}) can be read with --format ${this.#dialect}. ${suggestFormat(this.#beginning)}`
  }

  #read(lines: readonly Buffer[]): readonly SplitRecord[] {
    return lines.flatMap((line) => {
      this.#line += 1
      const text = line.toString('utf8')
      if (this.#beginning.length < LINES_LOOKED_AT) this.#beginning.push(text)
      return this.#toSplit(this.#reader.read(text))
    })
  }

  /** With the line that completed the record. */
  #toSplit(records: readonly MailLogRecord[]): readonly SplitRecord[] {
    const sent = withoutLeftOut(records, this.leftOut)
    return sent.map((record) => ({ bytes: Buffer.from(JSON.stringify(record)), line: this.#line }))
  }
}
