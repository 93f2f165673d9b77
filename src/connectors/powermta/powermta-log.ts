/**
 * PowerMTA's accounting file: comma separated values with a header line, one record for each recipient and event. Each
 * record stands for itself; only the names of the columns are remembered, and the beginning of a record that goes on in the
 * next line.
 */
import { AppError } from '../../lib/app-error.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { toMailLogRecord } from './accounting-record.ts'
import { type AccountingRecord, Columns } from './columns.ts'
import { hasOpenQuote, parseRecord } from './csv.ts'

const COLUMNS = 'columns'
const UNFINISHED = 'unfinished'

const HEADER = /^\ufeff?type(?:,|$)/i
/** No record is longer; a quote without its end must not swallow the rest of the file. */
const RECORD_LENGTH_MAX = 65_536

export class PowermtaLog implements LogReader {
  understoodCount = 0
  readonly #remembered: Map<string, unknown>
  readonly #changed = new Set<string>()
  #columns: Columns | undefined

  constructor({ remembered }: LogReaderOptions) {
    this.#remembered = new Map(remembered)
    const names = this.#remembered.get(COLUMNS) as readonly string[] | undefined
    this.#columns = names && new Columns(names)
  }

  read(line: string): readonly MailLogRecord[] {
    const start = this.#unfinished
    // A header begins a file, whatever the one before has ended with.
    if (start !== undefined && HEADER.test(line)) return [...this.finish(), ...this.read(line)]
    const text = start === undefined ? line : `${start}\n${line}`
    if (text.length > RECORD_LENGTH_MAX) {
      this.#remember(UNFINISHED, undefined)
      return [rejected(text.slice(0, RECORD_LENGTH_MAX), 'the record is longer than any record is')]
    }
    // The beginning has an open quote, which the line may close.
    const goesOn = hasOpenQuote(line) !== (start !== undefined)
    if (goesOn || start !== undefined) this.#remember(UNFINISHED, goesOn ? text : undefined)
    return goesOn ? [] : this.#readRecord(text)
  }

  finish(): readonly MailLogRecord[] {
    const rest = this.#unfinished
    if (rest === undefined) return []
    this.#remember(UNFINISHED, undefined)
    return [rejected(rest, 'the record breaks off within quotes')]
  }

  takeChanges() {
    const changes = [...this.#changed].map((key) => [key, this.#remembered.get(key)] as const)
    this.#changed.clear()
    return changes
  }

  get #unfinished(): string | undefined {
    return this.#remembered.get(UNFINISHED) as string | undefined
  }

  #remember(key: string, value: unknown): void {
    if (value === undefined) this.#remembered.delete(key)
    else this.#remembered.set(key, value)
    this.#changed.add(key)
  }

  #readRecord(text: string): readonly MailLogRecord[] {
    if (text.trim() === '') return []
    const values = parseRecord(text)
    if (!values) return [rejected(text, 'the quotes are not those of comma separated values')]
    if (HEADER.test(text)) {
      this.understoodCount += 1
      this.#remember(COLUMNS, values)
      this.#columns = new Columns(values)
      return []
    }
    if (!this.#columns) return [rejected(text, 'no header line came before it')]
    const { count } = this.#columns
    if (values.length !== count)
      return [rejected(text, `it has ${values.length} values, and the header line names ${count}`)]
    this.understoodCount += 1
    return toRecords(text, this.#columns.toRecord(values))
  }
}

function toRecords(text: string, values: AccountingRecord): readonly MailLogRecord[] {
  try {
    const record = toMailLogRecord(values)
    return record ? [record] : []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [rejected(text, error.message)]
  }
}

/** Goes to the quarantine as it is. */
function rejected(line: string, problem: string): MailLogRecord {
  return { sender_domains: [], event: {}, problem, line }
}
