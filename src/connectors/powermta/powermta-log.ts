/**
 * PowerMTA's accounting file, one record per recipient and event: comma-separated values below a header line, or JSON. Records
 * are independent; only the column names are remembered, and the start of a record that continues on the next line.
 */
import { AppError } from '../../lib/app-error.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import { isRecord } from '../shared/untrusted.ts'
import { toMailLogRecord } from './accounting-record.ts'
import { type AccountingRecord, Columns, recordOf } from './columns.ts'
import { hasOpenQuote, parseRecord } from './csv.ts'

const COLUMNS = 'columns'
const UNFINISHED = 'unfinished'

/** At the start of a file, and again wherever the columns change. */
const HEADER = /^\ufeff?(?:#?type|"#?type")(?:,|$)/i
/** No record begins with it: the first column is the type. */
const COMMENT = /^\ufeff?#/
/** An object; or a list of them, on one line or with an object on each. */
const JSON_TEXT = /^\ufeff?\s*[[\]{]/
/** Longer than any record: an unclosed quote must not swallow the rest of the file. */
const RECORD_LENGTH_MAX = 65_536
/** A list of records on one line. */
const JSON_LENGTH_MAX = 1_048_576

export class PowermtaLog implements LogReader {
  understoodCount = 0
  readonly #remembered: RememberedMap<unknown>
  #columns: Columns | undefined

  constructor({ remembered }: LogReaderOptions) {
    this.#remembered = new RememberedMap('', remembered)
    const names = this.#remembered.get(COLUMNS) as readonly string[] | undefined
    this.#columns = names && new Columns(names)
  }

  read(line: string): readonly MailLogRecord[] {
    const start = this.#unfinished
    // A header line starts a new file, even if the previous one ended within a record.
    if (start !== undefined && HEADER.test(line)) return [...this.finish(), ...this.read(line)]
    if (start === undefined && COMMENT.test(line) && !HEADER.test(line)) return []
    if (start === undefined && JSON_TEXT.test(line)) return this.#readJson(line)
    const text = start === undefined ? line : `${start}\n${line}`
    if (text.length > RECORD_LENGTH_MAX) {
      this.#remembered.delete(UNFINISHED)
      return [rejected(text.slice(0, RECORD_LENGTH_MAX), `the record is longer than ${RECORD_LENGTH_MAX} characters`)]
    }
    // An unfinished record has an open quote, which this line may close.
    const isUnfinished = hasOpenQuote(line) !== (start !== undefined)
    if (isUnfinished) this.#remembered.set(UNFINISHED, text)
    else this.#remembered.delete(UNFINISHED)
    return isUnfinished ? [] : this.#readRecord(text)
  }

  finish(): readonly MailLogRecord[] {
    const rest = this.#unfinished
    if (rest === undefined) return []
    this.#remembered.delete(UNFINISHED)
    return [rejected(rest, 'the record ends within quotes')]
  }

  takeChanges() {
    return this.#remembered.takeChanges()
  }

  get #unfinished(): string | undefined {
    return this.#remembered.get(UNFINISHED) as string | undefined
  }

  #readRecord(text: string): readonly MailLogRecord[] {
    if (text.trim() === '') return []
    const values = parseRecord(text)
    if (!values) return [rejected(text, 'a quote is not at the start or end of a value')]
    if (HEADER.test(text)) {
      this.understoodCount += 1
      this.#remembered.set(COLUMNS, values)
      this.#columns = new Columns(values)
      return []
    }
    if (!this.#columns) return [rejected(text, 'no header line before the record')]
    const { count } = this.#columns
    if (values.length !== count)
      return [rejected(text, `the record has ${values.length} values, but the header line names ${count} columns`)]
    this.understoodCount += 1
    return [toRecord(text, this.#columns.toRecord(values))]
  }

  #readJson(line: string): readonly MailLogRecord[] {
    if (line.length > JSON_LENGTH_MAX)
      return [rejected(line.slice(0, RECORD_LENGTH_MAX), `the JSON text is longer than ${JSON_LENGTH_MAX} characters`)]
    const text = line.trim().replace(/,$/, '')
    if (text === '[' || text === ']') return []
    const parsed = parseJson(text)
    if (parsed === undefined) return [rejected(line, 'the line is not valid JSON')]
    if (!Array.isArray(parsed)) return [this.#readObject(text, parsed)]
    return parsed.map((item: unknown) => this.#readObject(JSON.stringify(item), item))
  }

  #readObject(text: string, object: unknown): MailLogRecord {
    const values = isRecord(object) ? recordOf(object) : undefined
    // Other programs write JSON with a type, too.
    if (values?.get('type') === undefined || values.get('timelogged') === undefined)
      return rejected(text, 'a record in JSON must be an object with type and timeLogged')
    this.understoodCount += 1
    return toRecord(text, values)
  }
}

function toRecord(text: string, values: AccountingRecord): MailLogRecord {
  try {
    return toMailLogRecord(values)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return rejected(text, error.message)
  }
}

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The line is quarantined unchanged. */
function rejected(line: string, problem: string): MailLogRecord {
  return { sender_domains: [], event: {}, problem, line }
}
