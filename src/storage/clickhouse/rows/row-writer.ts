/** Writes rows in ClickHouse's format RowBinary: the values one after the other, without separators or escaping. */

const FIRST_BYTES = 1 << 16
const BYTES_PER_UNIT_MAX = 3
const LENGTH_BYTES_MAX = 5
/** The length of a text of so many UTF-16 units fits into one byte, whatever its characters are. */
const SHORT_UNITS_MAX = 42
const TWO_32 = 2 ** 32

export class RowWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  /** This and the others throw RangeError if the value does not fit: a number must never be stored as another one. */
  uint8(value: number): void {
    this.#reserve(1)
    this.#length = this.#bytes.writeUInt8(value, this.#length)
  }

  uint16(value: number): void {
    this.#reserve(2)
    this.#length = this.#bytes.writeUInt16LE(value, this.#length)
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  /** A safe integer. */
  uint64(value: number): void {
    this.#reserve(8)
    this.#bytes.writeUInt32LE(value % TWO_32, this.#length)
    this.#length = this.#bytes.writeUInt32LE(Math.floor(value / TWO_32), this.#length + 4)
  }

  bigUint64(value: bigint): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length)
  }

  int64(value: number): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeBigInt64LE(BigInt(value), this.#length)
  }

  /** Its length in bytes, seven bits in each byte, then UTF-8. */
  text(value: string): void {
    this.#reserve(value.length * BYTES_PER_UNIT_MAX + LENGTH_BYTES_MAX)
    if (value.length <= SHORT_UNITS_MAX) {
      const written = value === '' ? 0 : this.#bytes.write(value, this.#length + 1)
      this.#bytes[this.#length] = written
      this.#length += 1 + written
      return
    }
    let rest = Buffer.byteLength(value)
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128
    this.#bytes[this.#length++] = rest
    this.#length += this.#bytes.write(value, this.#length)
  }

  /** To be called once. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
