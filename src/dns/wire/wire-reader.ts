/** Reads the parts of a DNS message (RFC 1035 section 4.1), never beyond its bounds. */

/** The bytes are not a DNS message. Never leaves src/dns. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** RFC 1035 section 3.1: including all length bytes. */
const NAME_BYTES_MAX = 255
/** Pointers to follow for one name, which has at most 127 labels; fewer if others have led to the same place before. */
const POINTERS_MAX = 127

/** Bytes of labels to decode for each byte of the message: pointers into the middle of other names make more. */
const DECODED_BYTES_PER_BYTE = 4

/** A name, or the rest of one. */
interface ReadName {
  readonly text: string
  /** Uncompressed, including all length bytes. */
  readonly length: number
}

/** Shared by all readers of a message, so that the work is limited by its length, wherever its pointers lead. */
interface ReadNames {
  /** Names that pointers lead to, by offset. */
  readonly targets: Map<number, ReadName>
  decodedBytes: number
}

const ROOT: ReadName = { text: '', length: 1 }

export class WireReader {
  readonly #message: Buffer
  readonly #names: ReadNames
  readonly #end: number
  #offset: number

  /** Reads `message` from `offset` to `end`; compressed names may point back to anything in the message. */
  constructor(message: Buffer, offset = 0, end = message.length, names?: ReadNames) {
    this.#message = message
    this.#names = names ?? { targets: new Map(), decodedBytes: 0 }
    this.#offset = offset
    this.#end = end
  }

  get remaining(): number {
    return this.#end - this.#offset
  }

  readUint8(): number {
    return this.#message.readUInt8(this.#take(1))
  }

  readUint16(): number {
    return this.#message.readUInt16BE(this.#take(2))
  }

  readUint32(): number {
    return this.#message.readUInt32BE(this.#take(4))
  }

  readBytes(length: number): Buffer {
    const start = this.#take(length)
    return this.#message.subarray(start, start + length)
  }

  /** A reader of the next `length` bytes, which this one skips. */
  readPart(length: number): WireReader {
    const start = this.#take(length)
    return new WireReader(this.#message, start, start + length, this.#names)
  }

  /**
   * In the letter case of the message, without the final dot; '' for the root. Special bytes are escaped as in a zone file
   * (RFC 1035 section 5.1), so that different names have different texts.
   */
  readName(): string {
    const { name, end } = this.#readName(this.#offset, this.#end, 0)
    this.#offset = end
    return name.text
  }

  /** The name at a position, and where the data after it begins. `pointers`: how many were followed to get there. */
  #readName(start: number, limit: number, pointers: number): { readonly name: ReadName; readonly end: number } {
    const labels: string[] = []
    let length = 0
    let position = start
    for (;;) {
      if (position >= limit) throw new MalformedMessage('a name exceeds its record')
      const size = this.#message.readUInt8(position)
      if (size >= 0xc0) {
        if (position + 2 > limit) throw new MalformedMessage('a pointer is truncated')
        const target = this.#message.readUInt16BE(position) & 0x3fff
        // RFC 1035 section 4.1.4: "a prior occurrence", which also rules out loops.
        if (target >= position) throw new MalformedMessage('a pointer is invalid')
        return { name: join(labels, length, this.#readTarget(target, pointers + 1)), end: position + 2 }
      }
      if (size > 63) throw new MalformedMessage('a label of an unknown type')
      position += 1
      if (size === 0) return { name: join(labels, length, ROOT), end: position }
      length += size + 1
      // At once: a message of 64 KiB can be one name, and decoding it takes a hundred times as long as a longest one.
      if (length >= NAME_BYTES_MAX) throw new MalformedMessage('a name is too long')
      labels.push(this.#decode(position, position + size))
      position += size
    }
  }

  #decode(start: number, end: number): string {
    this.#names.decodedBytes += end - start
    if (this.#names.decodedBytes > DECODED_BYTES_PER_BYTE * this.#message.length)
      throw new MalformedMessage('the names overlap too much')
    let text = ''
    for (const byte of this.#message.subarray(start, end)) text += BYTE_TEXTS[byte]
    return text
  }

  #readTarget(target: number, pointers: number): ReadName {
    if (pointers > POINTERS_MAX) throw new MalformedMessage('a pointer is invalid')
    const known = this.#names.targets.get(target) ?? this.#readName(target, this.#message.length, pointers).name
    this.#names.targets.set(target, known)
    return known
  }

  #take(length: number): number {
    const start = this.#offset
    if (start + length > this.#end) throw new MalformedMessage('a field is truncated')
    this.#offset = start + length
    return start
  }
}

function join(labels: readonly string[], length: number, rest: ReadName): ReadName {
  if (length + rest.length > NAME_BYTES_MAX) throw new MalformedMessage('a name is too long')
  const text = rest.text === '' ? labels.join('.') : [...labels, rest.text].join('.')
  return { text, length: length + rest.length }
}

const BYTE_TEXTS = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (character === '.' || character === '\\') return `\\${character}`
  return /[!-~]/.test(character) ? character : `\\${byte.toString().padStart(3, '0')}`
})
