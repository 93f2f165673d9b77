/**
 * The rows of several requests as they are sent to the writing thread. Copying an object between threads costs more than
 * anything else that is done to an event on either side, so they go as three lists: numbers, texts, and texts that many rows
 * share, each of these once.
 */
import type { EventRow } from './event-row.ts'

export interface PackedRows {
  /** Rows of each request, in order. */
  readonly requestRows: readonly number[]
  readonly numbers: Float64Array
  readonly texts: readonly (string | null)[]
  readonly sharedTexts: readonly string[]
}

/** None of the numbers of a row is negative. */
const NO_NUMBER = -1
const NUMBERS_PER_ROW = 15
const TEXTS_PER_ROW = 7
/** Room for a post of usual size, and how much more when it is full: each number is then copied about once. */
const FIRST_NUMBERS = 128 * NUMBERS_PER_ROW
const GROWTH = 2

export class RowPack {
  readonly #requestRows: number[] = []
  #numbers = new Float64Array(FIRST_NUMBERS)
  readonly #texts: (string | null)[] = []
  readonly #sharedTexts = new Map<string, number>()
  #rows = 0

  get rows(): number {
    return this.#rows
  }

  addRequest(rows: readonly EventRow[]): void {
    this.#requestRows.push(rows.length)
    this.#makeRoom(this.#rows + rows.length)
    for (const row of rows) this.#add(row)
  }

  finish(): PackedRows {
    return {
      requestRows: this.#requestRows,
      numbers: this.#numbers.slice(0, this.#rows * NUMBERS_PER_ROW),
      texts: this.#texts,
      sharedTexts: [...this.#sharedTexts.keys()],
    }
  }

  #makeRoom(rows: number): void {
    const length = rows * NUMBERS_PER_ROW
    if (length <= this.#numbers.length) return
    const larger = new Float64Array(Math.max(length, GROWTH * this.#numbers.length))
    larger.set(this.#numbers)
    this.#numbers = larger
  }

  #add(row: EventRow): void {
    const numbers = this.#numbers
    let at = NUMBERS_PER_ROW * this.#rows++
    numbers[at++] = this.#share(row.day)
    numbers[at++] = row.secondOfDay
    numbers[at++] = row.domain
    numbers[at++] = row.type
    numbers[at++] = row.responseCode ?? NO_NUMBER
    numbers[at++] = this.#share(row.circumstance)
    numbers[at++] = row.key
    numbers[at++] = this.#share(row.provider)
    numbers[at++] = this.#share(row.classification)
    numbers[at++] = row.size ?? NO_NUMBER
    numbers[at++] = this.#share(row.mailing)
    numbers[at++] = row.plain
    numbers[at++] = row.identity
    numbers[at++] = this.#share(row.origin)
    numbers[at] = row.retryAfter ?? NO_NUMBER
    const { content, id, recipient, sender, from, subject, serviceMessageId } = row
    this.#texts.push(content, id, recipient, sender, from, subject, serviceMessageId)
  }

  #share(text: string): number {
    const known = this.#sharedTexts.get(text)
    if (known !== undefined) return known
    const index = this.#sharedTexts.size
    this.#sharedTexts.set(text, index)
    return index
  }
}

/** In the order of the requests. */
export function unpackRows(packed: PackedRows): readonly (readonly EventRow[])[] {
  let next = 0
  return packed.requestRows.map((count) => {
    const rows: EventRow[] = []
    for (const end = next + count; next < end; next++) rows.push(unpackRow(packed, next))
    return rows
  })
}

export function rowsIn({ numbers }: PackedRows): number {
  return numbers.length / NUMBERS_PER_ROW
}

/** Without unpacking the row. */
export function domainOfRow({ numbers }: PackedRows, row: number): number {
  return numbers[row * NUMBERS_PER_ROW + 2] ?? NO_NUMBER
}

export function unpackRow({ numbers, texts, sharedTexts }: PackedRows, row: number): EventRow {
  const at = row * NUMBERS_PER_ROW
  const text = row * TEXTS_PER_ROW
  const number = (index: number) => numbers[at + index] ?? NO_NUMBER
  const shared = (index: number) => sharedTexts[number(index)] ?? ''
  return {
    day: shared(0),
    secondOfDay: number(1),
    domain: number(2),
    type: number(3),
    responseCode: orNull(number(4)),
    content: texts[text] ?? null,
    circumstance: shared(5),
    key: number(6),
    provider: shared(7),
    classification: shared(8),
    id: texts[text + 1] ?? '',
    recipient: texts[text + 2] ?? '',
    sender: texts[text + 3] ?? null,
    from: texts[text + 4] ?? null,
    subject: texts[text + 5] ?? null,
    serviceMessageId: texts[text + 6] ?? null,
    size: orNull(number(9)),
    mailing: shared(10),
    plain: number(11) as EventRow['plain'],
    identity: number(12),
    origin: shared(13),
    retryAfter: orNull(number(14)),
  }
}

function orNull(number: number): number | null {
  return number === NO_NUMBER ? null : number
}
