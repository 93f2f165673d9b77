/**
 * Counts of one domain as bytes: by slot (an hour of a day, or a day of a span), type, provider and classification. Texts are
 * written once, numbers in base 128, and a checksum ends them: SQLite does not notice a flipped bit.
 */
import { crc32 } from 'node:zlib'

export interface SlotCount {
  readonly slot: number
  readonly type: number
  /** Undefined if they were left out because there are too many; the file of the day has them. */
  readonly provider: string | undefined
  readonly classification: string | undefined
  readonly count: number
}

const CHECKSUM_BYTES = 4

export function packCounts(counts: readonly SlotCount[]): Uint8Array {
  const numbers: number[] = []
  const indexes = new Map<string, number>()
  const indexOf = (text: string | undefined): number => {
    if (text === undefined) return 0
    let index = indexes.get(text)
    if (index === undefined) {
      index = indexes.size + 1
      indexes.set(text, index)
    }
    return index
  }
  for (const { slot, type, provider, classification, count } of counts) {
    for (const number of [slot, type, indexOf(provider), indexOf(classification), count]) addNumber(numbers, number)
  }
  const texts = Buffer.from(JSON.stringify([...indexes.keys()]))
  const head: number[] = []
  addNumber(head, texts.length)
  const body = Buffer.concat([Buffer.from(head), texts, Buffer.from(numbers)])
  const packed = Buffer.alloc(body.length + CHECKSUM_BYTES)
  body.copy(packed)
  packed.writeUInt32LE(crc32(body), body.length)
  return packed
}

/** Steps through packed counts. There may be very many, so none becomes an object. */
export class CountsReader {
  slot = 0
  type = 0
  provider: string | undefined
  classification: string | undefined
  count = 0
  readonly #bytes: Uint8Array
  readonly #texts: readonly string[]
  readonly #end: number
  #at = 0

  private constructor(bytes: Buffer, end: number) {
    this.#bytes = bytes
    this.#end = end
    const length = this.#read()
    const from = this.#at
    this.#at += length
    this.#texts = JSON.parse(bytes.toString('utf8', from, this.#at)) as readonly string[]
  }

  /** Undefined if the bytes are damaged. */
  static of(packed: Uint8Array): CountsReader | undefined {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
    const end = bytes.length - CHECKSUM_BYTES
    const isIntact = end > 0 && bytes.readUInt32LE(end) === crc32(bytes.subarray(0, end))
    return isIntact ? new CountsReader(bytes, end) : undefined
  }

  /** Moves to the next count; false at the end. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    this.slot = this.#read()
    this.type = this.#read()
    this.provider = this.#texts[this.#read() - 1]
    this.classification = this.#texts[this.#read() - 1]
    this.count = this.#read()
    return true
  }

  #read(): number {
    let byte = this.#bytes[this.#at++] ?? 0
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = this.#bytes[this.#at++] ?? 0
      value += (byte & 0x7f) * scale
    }
    return value
  }
}

function addNumber(bytes: number[], number: number): void {
  let rest = number
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
}
