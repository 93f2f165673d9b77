/**
 * The writing side of a day's text index. Signatures are computed as messages are written, and put into rows by domain when
 * there are many of them, or when the day is idle. Messages that are not in a row yet, the tail, are searched by their texts.
 */
import type { Database } from '../database/database.ts'
import { domainOfMessageKey, messageKey, numberOfMessageKey, toMessageKey } from '../days/message-key.ts'
import {
  fromColumns,
  INSERT_SIGNATURE_ROW,
  joinRows,
  MESSAGES_PER_ROW,
  SIGNATURE_COLUMNS,
  type SignatureRow,
  splitRow,
  toColumns,
} from './signature-row.ts'
import { SEARCHED_FIELDS } from './text-search.ts'
import { type SearchedTexts, sign, wordsOf } from './text-signature.ts'

/** Each search examines the tail; each time that it is put into rows, every domain in it gets one. */
const TAIL_MAX = 1000

/** A small domain gets a row each of these times. Compaction pays off from this number of rows that are not full. */
const LOOSE_ROWS_MAX = 50
const LOOSE_ROWS_PER_MESSAGE = 0.02
/** Some milliseconds. */
const ROWS_PER_STEP = 256

const LIST_UNINDEXED = `
  SELECT m.key, m.recipient, m.sender, l.header_from AS "from", m.subject
  FROM (SELECT DISTINCT message, domain FROM event INDEXED BY event_of_message WHERE message > ?) e
  CROSS JOIN message m ON m.key = ${messageKey('e.domain', 'e.message')} CROSS JOIN mailing l ON l.key = m.mailing
  ORDER BY e.message`

const LIST_ROWS = `
  SELECT key, ${SIGNATURE_COLUMNS} FROM message_signature WHERE key >= ? ORDER BY key LIMIT CAST(? AS INTEGER)`
const COUNT_LOOSE_ROWS = 'SELECT count(*) FROM message_signature WHERE length(numbers) < ?'
const DELETE_ROWS = 'DELETE FROM message_signature WHERE key IN (SELECT value FROM json_each(?))'

/** The number of the day's last message, and of the last one that is in the index. */
interface IndexState {
  readonly message: number
  readonly indexed: number
}

export class TextIndex {
  readonly #db: Database
  /** The tail is that of the day if `begin` finds this state. */
  #state: IndexState | undefined
  /** The tail: keys of messages, and the signatures of each field in the same order. */
  #keys: number[] = []
  readonly #fields = SEARCHED_FIELDS.map((field) => ({ field, signatures: new Uint32Array() }))
  #looseRows = 0
  #written = 0
  /** Where a compaction that has begun continues. */
  #compactFrom: number | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** To be called in each transaction that writes: a rollback may have undone what was indexed. */
  begin(state: IndexState): void {
    this.#written = 0
    if (state.message === this.#state?.message && state.indexed === this.#state.indexed) return
    this.#clear()
    // Until the whole tail is read, no state is that of the tail.
    this.#state = undefined
    for (const { key, ...texts } of this.#db.all<{ key: number } & SearchedTexts>(LIST_UNINDEXED, state.indexed)) {
      this.#push(key, texts)
    }
    this.#state = state
  }

  /** After a rollback. No compaction is left to do: a file that cannot be written may have to be closed. */
  forget(): void {
    this.#state = undefined
    this.#clear()
    this.#looseRows = 0
    this.#compactFrom = undefined
  }

  /** A message that is new, with the next number. */
  add(key: number, texts: SearchedTexts): void {
    const { indexed } = this.#begun
    this.#push(key, texts)
    this.#state = { message: numberOfMessageKey(key), indexed }
  }

  /** To be called before the commit: returns the number of the last message that is in the index. */
  finish(): number {
    if (this.#keys.length >= TAIL_MAX) this.#writeTail()
    return this.#begun.indexed
  }

  /** Messages that this transaction has put into rows. */
  get written(): number {
    return this.#written
  }

  get isCompacted(): boolean {
    return this.#keys.length === 0 && this.#compactFrom === undefined && !this.#isCompactionWorthIt()
  }

  /** Does a step, in a transaction of its own. */
  compact(): void {
    if (this.#keys.length > 0) this.settle()
    else this.#db.transaction(() => this.#joinLooseRows())
  }

  /** Puts the tail into the index, in a transaction of its own. */
  settle(): void {
    if (this.#keys.length === 0) return
    this.#db.transaction(() => {
      const state = this.#db.get<{ message: number; indexed: number }>('SELECT message, indexed FROM day')
      this.begin(state ?? { message: 0, indexed: 0 })
      this.#writeTail()
      this.#db.run('UPDATE day SET indexed = message')
    })
  }

  /** For a file that was closed with compaction pending: counts its rows that are not full. */
  countLooseRows(): void {
    this.#looseRows = this.#db.number(COUNT_LOOSE_ROWS, MESSAGES_PER_ROW * Uint32Array.BYTES_PER_ELEMENT)
  }

  get #begun(): IndexState {
    if (!this.#state) throw new Error('the text index is written to outside of a transaction')
    return this.#state
  }

  #clear(): void {
    for (const { field, signatures } of this.#fields) signatures.fill(0, 0, this.#keys.length * wordsOf(field))
    this.#keys = []
  }

  #push(key: number, texts: SearchedTexts): void {
    const index = this.#keys.length
    for (const tail of this.#fields) {
      const words = wordsOf(tail.field)
      const at = index * words
      if (at >= tail.signatures.length) tail.signatures = enlarge(tail.signatures, words)
      sign(tail.field, texts[tail.field] ?? '', tail.signatures, at)
    }
    this.#keys.push(key)
  }

  #writeTail(): void {
    const keys = this.#keys
    const indexes = keys.map((_, index) => index).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
    // Parts of one row of all: there are many domains, and an array for each field of each would be slow.
    const all = this.#rowOf(indexes)
    for (let from = 0, to = 0; from < indexes.length; from = to) {
      const domain = domainOfMessageKey(keys[indexes[from] ?? 0] ?? 0)
      while (to < indexes.length && domainOfMessageKey(keys[indexes[to] ?? 0] ?? 0) === domain) to++
      this.#insert(domain, splitRow(all, from, to))
    }
    this.#written += indexes.length
    this.#clear()
    const { message } = this.#begun
    this.#state = { message, indexed: message }
  }

  #rowOf(indexes: readonly number[]): SignatureRow {
    const numbers = Uint32Array.from(indexes, (index) => numberOfMessageKey(this.#keys[index] ?? 0))
    const fields = this.#fields.map(({ field, signatures }) => {
      const words = wordsOf(field)
      const chosen = new Uint32Array(indexes.length * words)
      let at = 0
      for (const index of indexes) {
        for (let word = 0; word < words; word++) chosen[at++] = signatures[index * words + word] as number
      }
      return chosen
    })
    return { numbers, fields }
  }

  #insert(domain: number, rows: readonly SignatureRow[]): void {
    for (const row of rows) {
      const key = toMessageKey(domain, row.numbers.at(-1) ?? 0)
      this.#db.run(INSERT_SIGNATURE_ROW, key, ...toColumns(row))
      if (!isFull(row)) this.#looseRows++
    }
  }

  #isCompactionWorthIt(): boolean {
    return this.#looseRows > Math.max(LOOSE_ROWS_MAX, (this.#state?.message ?? 0) * LOOSE_ROWS_PER_MESSAGE)
  }

  /** Merges rows of a domain that are not full. */
  #joinLooseRows(): void {
    const found = this.#db.allArrays<[number, ...Uint8Array[]]>(LIST_ROWS, this.#compactFrom ?? 0, ROWS_PER_STEP)
    this.#compactFrom = undefined
    const rows = found.map(([key, ...columns]) => ({ key, row: fromColumns(columns) }))
    for (const [domain, ofDomain] of Map.groupBy(rows, ({ key }) => domainOfMessageKey(key))) {
      const loose = ofDomain.filter(({ row }) => !isFull(row))
      if (loose.length < 2) continue
      this.#db.run(DELETE_ROWS, JSON.stringify(loose.map(({ key }) => key)))
      this.#insert(domain, joinRows(loose.map(({ row }) => row)))
    }
    const last = rows.at(-1)
    // The last row may be merged with those after it; or was just merged, and has the same key with more in it.
    if (last && rows.length === ROWS_PER_STEP) this.#compactFrom = last.key + (isFull(last.row) ? 1 : 0)
    else this.#looseRows = 0
  }
}

function isFull({ numbers }: SignatureRow): boolean {
  return numbers.length >= MESSAGES_PER_ROW
}

/** Twice the room; `words` for each message. */
function enlarge(signatures: Uint32Array, words: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(TAIL_MAX * words, signatures.length * 2))
  larger.set(signatures)
  return larger
}
