/** The reading side of a day's text index: which messages may have a text. */
import type { Database } from '../database/database.ts'
import { messageKey, NUMBER_OF_MESSAGE, toMessageKey } from '../days/message-key.ts'
import { FIELD_COLUMNS, toWords } from './signature-row.ts'
import type { SignatureTest } from './text-signature.ts'

/** Some hundred kilobytes of signatures. */
const ROWS_AT_ONCE = 64

const OF_DOMAIN = `FROM message_signature s WHERE s.key >= ? AND s.key < ? ORDER BY s.key LIMIT ${ROWS_AT_ONCE}`

const OF_DOMAINS = `
  FROM json_each(?) d CROSS JOIN message_signature s
    ON s.key >= ${messageKey('d.value', '0')} AND s.key < ${messageKey('(d.value + 1)', '0')}`

/** Compaction replaces rows, and may move a message to an earlier or a later row. */
const LIST_KEYS =
  'SELECT group_concat(key) AS keys FROM (SELECT key FROM message_signature WHERE key >= ? AND key <= ? ORDER BY key)'

const READ_NUMBERS = 'SELECT numbers FROM message_signature WHERE key = ?'

const LIST_TAIL = `SELECT ${NUMBER_OF_MESSAGE} FROM message m WHERE m.key > ? AND m.key < ?`

const LIST_TAIL_OF_ALL = 'SELECT DISTINCT message FROM event INDEXED BY event_of_message WHERE message > ?'

interface Candidates {
  /** Numbers of the messages that may have the text, by their signatures. */
  readonly numbers: readonly number[]
  /** How many messages were examined. */
  readonly messages: number
  /** Numbers of those that are too new to have a signature. */
  readonly tail: readonly number[]
}

type FoundRow = [key: number, ...signatures: Uint8Array[]]

export class TextCandidates {
  readonly #db: Database
  /** The number of events at which all messages of the day were in the index. */
  #completeAt: number | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Yields between batches, so that others get the thread. Some messages may be found twice. `events`: how many the day has,
   * as far as is known.
   */
  *ofDomain(domain: number, test: SignatureTest, events: number): Generator<undefined, Candidates> {
    const numbers: number[] = []
    const [from, to] = keysOf(domain)
    const tail = this.#db.snapshot(() => {
      const indexed = this.#readIndexed(events)
      return indexed === undefined ? [] : this.#listNumbers(LIST_TAIL, toMessageKey(domain, indexed), to)
    })
    const messages = yield* this.#examineDomain(from, to, test, numbers)
    return { numbers, messages, tail }
  }

  /** Numbers of the messages of all of the domains, and of new messages of any; undefined if there are more than `most`. */
  *ofDomains(
    domainGroups: Iterable<readonly number[]>,
    test: SignatureTest,
    events: number,
    most: number,
  ): Generator<undefined, readonly number[] | undefined> {
    const indexed = this.#readIndexed(events)
    const numbers = indexed === undefined ? [] : this.#listNumbers(LIST_TAIL_OF_ALL, indexed)
    const enough = numbers.length + most
    for (const domains of domainGroups) {
      for (const _ of this.#examine(domains, test, numbers)) {
        if (numbers.length > enough) return undefined
        yield
      }
      if (numbers.length > enough) return undefined
      yield
    }
    return numbers
  }

  /** Returns how many messages were examined; yields between batches. */
  *#examine(domains: readonly number[], test: SignatureTest, numbers: number[]): Generator<undefined, number> {
    const [only] = domains
    if (only !== undefined && domains.length === 1) return yield* this.#examineDomain(...keysOf(only), test, numbers)
    return this.#db.snapshot(() => {
      const sql = writeOnce(ofDomainsTexts, test, OF_DOMAINS)
      return this.#collectAll(this.#db.allArrays<FoundRow>(sql, JSON.stringify(domains)), test, numbers)
    })
  }

  /** Starts again if compaction has replaced rows between two batches. */
  *#examineDomain(from: number, to: number, test: SignatureTest, numbers: number[]): Generator<undefined, number> {
    const sql = writeOnce(ofDomainTexts, test, OF_DOMAIN)
    let keys: number[] = []
    let examined = 0
    for (;;) {
      let isDone = false
      examined += this.#db.snapshot(() => {
        const rows = this.#db.allArrays<FoundRow>(sql, (keys.at(-1) ?? from - 1) + 1, to)
        for (const [key] of rows) keys.push(key)
        isDone = rows.length < ROWS_AT_ONCE
        if (isDone && keys.length > rows.length && !this.#areRowsOf(from, keys)) {
          isDone = false
          keys = []
        }
        return this.#collectAll(rows, test, numbers)
      })
      if (isDone) return examined
      yield
    }
  }

  #areRowsOf(from: number, keys: readonly number[]): boolean {
    const row = this.#db.get<{ keys: string | null }>(LIST_KEYS, from, keys.at(-1) ?? from)
    return row?.keys === keys.join(',')
  }

  #collectAll(rows: readonly FoundRow[], test: SignatureTest, numbers: number[]): number {
    let examined = 0
    for (const row of rows) examined += this.#collect(row, test, numbers)
    return examined
  }

  /** Adds the numbers of those that pass; returns how many were examined. */
  #collect([key, ...columns]: FoundRow, test: SignatureTest, numbers: number[]): number {
    const signatures = columns.map(toWords)
    const passing = test.listPassing(signatures)
    if (passing.length > 0) {
      const ofRow = toWords(this.#db.get<{ numbers: Uint8Array }>(READ_NUMBERS, key)?.numbers ?? new Uint8Array())
      for (const index of passing) numbers.push(ofRow[index] ?? 0)
    }
    return test.countMessages(signatures)
  }

  #listNumbers(sql: string, ...values: number[]): number[] {
    return this.#db.allArrays<[number]>(sql, ...values).map(([number]) => number)
  }

  /** The last message in the index; undefined if that is the day's last. */
  #readIndexed(events: number): number | undefined {
    if (events === this.#completeAt) return undefined
    const day = this.#db.get<{ message: number; indexed: number }>('SELECT message, indexed FROM day')
    if (day && day.indexed < day.message) return day.indexed
    this.#completeAt = events
    return undefined
  }
}

/** SQL by the fields that are examined: written once, as every day uses it. */
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

/** From the first (inclusive) to the last (exclusive). */
function keysOf(domain: number): [from: number, to: number] {
  return [toMessageKey(domain, 0), toMessageKey(domain + 1, 0)]
}
