/** The reading side of a day's text index: which messages may have a text. */
import type { Database } from '../database.ts'
import { messageKey, NUMBER_OF_MESSAGE, toMessageKey } from './message-key.ts'
import { FIELD_COLUMNS, toWords } from './signature-row.ts'
import { type SignatureTest, wordsOf } from './text-signature.ts'

/** Some hundred kilobytes of signatures. */
const ROWS_AT_ONCE = 64

const OF_DOMAIN = `FROM message_signature s WHERE s.key >= ? AND s.key < ? ORDER BY s.key LIMIT ${ROWS_AT_ONCE}`

const OF_DOMAINS = `
  FROM json_each(?) d CROSS JOIN message_signature s
    ON s.key >= ${messageKey('d.value', '0')} AND s.key < ${messageKey('(d.value + 1)', '0')}`

const READ_NUMBERS = 'SELECT numbers FROM message_signature WHERE key = ?'

const LIST_TAIL = `SELECT ${NUMBER_OF_MESSAGE} FROM message m WHERE m.key > ? AND m.key < ?`

const LIST_TAIL_OF_ALL = 'SELECT DISTINCT message FROM event INDEXED BY event_of_message WHERE message > ?'

export interface Candidates {
  /** Numbers of the messages that may have the text; what is new is among them whatever it has. */
  readonly numbers: readonly number[]
  /** Of so many. */
  readonly messages: number
}

type FoundRow = [key: number, ...signatures: Uint8Array[]]

export class TextCandidates {
  readonly #db: Database
  /** With so many events all messages of the day were in the index. */
  #completeAt: number | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** `events`: how many the day has, as far as is known. */
  ofDomain(domain: number, test: SignatureTest, events: number): Candidates {
    return this.#db.snapshot(() => {
      const end = toMessageKey(domain + 1, 0)
      const numbers = this.#listTail(domain, end, events)
      const sql = writeOnce(ofDomainTexts, test, OF_DOMAIN)
      let messages = numbers.length
      for (let from = toMessageKey(domain, 0); ; ) {
        const rows = this.#db.allArrays<FoundRow>(sql, from, end)
        for (const row of rows) messages += this.#collect(row, test, numbers)
        if (rows.length < ROWS_AT_ONCE) return { numbers, messages }
        from = (rows.at(-1)?.[0] ?? end) + 1
      }
    })
  }

  /** Numbers of the messages of all of the domains, and of what is new in any; undefined where there are more than `most`. */
  ofDomains(
    domainGroups: Iterable<readonly number[]>,
    test: SignatureTest,
    events: number,
    most: number,
  ): readonly number[] | undefined {
    return this.#db.snapshot(() => {
      const indexed = this.#readIndexed(events)
      const numbers = indexed === undefined ? [] : this.#listNumbers(LIST_TAIL_OF_ALL, indexed)
      const enough = numbers.length + most
      const sql = writeOnce(ofDomainsTexts, test, OF_DOMAINS)
      for (const domains of domainGroups) {
        for (const row of this.#db.allArrays<FoundRow>(sql, JSON.stringify(domains))) {
          this.#collect(row, test, numbers)
          if (numbers.length > enough) return undefined
        }
      }
      return numbers
    })
  }

  /** Adds the numbers of those that pass; returns how many were looked at. */
  #collect([key, ...columns]: FoundRow, test: SignatureTest, numbers: number[]): number {
    const signatures = columns.map(toWords)
    const passing = test.listPassing(signatures)
    if (passing.length > 0) {
      const ofRow = toWords(this.#db.get<{ numbers: Uint8Array }>(READ_NUMBERS, key)?.numbers ?? new Uint8Array())
      for (const place of passing) numbers.push(ofRow[place] ?? 0)
    }
    const [field = 'recipient'] = test.fields
    return (signatures[0]?.length ?? 0) / wordsOf(field)
  }

  #listTail(domain: number, end: number, events: number): number[] {
    const indexed = this.#readIndexed(events)
    return indexed === undefined ? [] : this.#listNumbers(LIST_TAIL, toMessageKey(domain, indexed), end)
  }

  #listNumbers(sql: string, ...values: number[]): number[] {
    return this.#db.allArrays<[number]>(sql, ...values).map(([number]) => number)
  }

  /** The last message in the index; undefined where that is the day's last. */
  #readIndexed(events: number): number | undefined {
    if (events === this.#completeAt) return undefined
    const day = this.#db.get<{ message: number; indexed: number }>('SELECT message, indexed FROM day')
    if (day && day.indexed < day.message) return day.indexed
    this.#completeAt = events
    return undefined
  }
}

/** SQL by what is looked at: written once, as it is asked for with every day. */
const ofDomainTexts = new Map<string, string>()
const ofDomainsTexts = new Map<string, string>()

function writeOnce(texts: Map<string, string>, { fields, shape }: SignatureTest, from: string): string {
  let text = texts.get(shape)
  if (text === undefined) {
    text = `SELECT s.key, ${fields.map((field) => `s.${FIELD_COLUMNS[field]}`).join(', ')} ${from}`
    texts.set(shape, text)
  }
  return text
}
