/** Cuts the log of a mail server into what its reader makes out, a chunk at a time. */
import type { LogReader } from '../../connectors/maillog/log-reader.ts'
import type { MailLogRecord } from '../../connectors/maillog/maillog.ts'
import { LineSplitter } from '../tail/line-splitter.ts'
import type { SplitRecord } from './record-splitter.ts'

export class LogSplitter {
  readonly #lines = new LineSplitter()
  readonly #reader: LogReader
  #line = 0

  /** A reader goes on from file to file: a message may begin in one and end in the next. */
  constructor(reader: LogReader) {
    this.#reader = reader
  }

  push(chunk: Buffer): readonly SplitRecord[] {
    const records = this.#read(this.#lines.push(chunk))
    // Nobody goes on from here later.
    this.#reader.takeChanges()
    return records
  }

  end(): readonly SplitRecord[] {
    return [...this.#read(this.#lines.finish()), ...this.#toSplit(this.#reader.finish?.() ?? [])]
  }

  #read(lines: readonly Buffer[]): readonly SplitRecord[] {
    return lines.flatMap((line) => {
      this.#line += 1
      return this.#toSplit(this.#reader.read(line.toString('utf8')))
    })
  }

  /** The line is that on which it was made out. */
  #toSplit(records: readonly MailLogRecord[]): readonly SplitRecord[] {
    return records.map((record) => ({ bytes: Buffer.from(JSON.stringify(record)), line: this.#line }))
  }
}
