/** Reads the parts of a DNS message (RFC 1035 section 4.1), never beyond its bounds. */

/** The bytes are not a DNS message. Never leaves src/dns. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** RFC 1035 section 3.1: including all length bytes. */
const NAME_BYTES_MAX = 255
/** A name has at most 127 labels, so it needs no more pointers than that. */
const POINTERS_MAX = 127

export class WireReader {
  readonly #message: Buffer
  readonly #end: number
  #offset: number

  /** Reads `message` from `offset` to `end`; compressed names may point back to anything in the message. */
  constructor(message: Buffer, offset = 0, end = message.length) {
    this.#message = message
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
    return new WireReader(this.#message, start, start + length)
  }

  /**
   * In the letter case of the message, without the final dot; '' for the root. Special bytes are escaped as in a zone file
   * (RFC 1035 section 5.1), so that different names have different texts.
   */
  readName(): string {
    const labels: string[] = []
    let length = 1
    let position = this.#offset
    let end: number | undefined
    let pointers = 0
    for (;;) {
      const limit = end === undefined ? this.#end : this.#message.length
      if (position >= limit) throw new MalformedMessage('a name exceeds its record')
      const size = this.#message.readUInt8(position)
      if (size >= 0xc0) {
        if (position + 2 > limit) throw new MalformedMessage('a pointer is truncated')
        const target = this.#message.readUInt16BE(position) & 0x3fff
        // RFC 1035 section 4.1.4: "a prior occurrence", which also rules out loops.
        if (target >= position || ++pointers > POINTERS_MAX) throw new MalformedMessage('a pointer is invalid')
        end ??= position + 2
        position = target
        continue
      }
      if (size > 63) throw new MalformedMessage('a label of an unknown type')
      position += 1
      if (size === 0) break
      if (position + size > limit) throw new MalformedMessage('a label is truncated')
      length += size + 1
      if (length > NAME_BYTES_MAX) throw new MalformedMessage('a name is too long')
      labels.push(toText(this.#message.subarray(position, position + size)))
      position += size
    }
    this.#offset = end ?? position
    return labels.join('.')
  }

  #take(length: number): number {
    const start = this.#offset
    if (start + length > this.#end) throw new MalformedMessage('a field is truncated')
    this.#offset = start + length
    return start
  }
}

function toText(label: Buffer): string {
  return label.toString('latin1').replace(/[^!-~]|[.\\]/g, (character) => {
    if (character === '.' || character === '\\') return `\\${character}`
    return `\\${character.charCodeAt(0).toString().padStart(3, '0')}`
  })
}
