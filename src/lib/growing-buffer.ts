/**
 * Collects the chunks of a body in one buffer. Keeping the chunks themselves would multiply the memory of a body that is sent
 * byte by byte.
 */

const FIRST_BYTES = 16 * 1024

export class GrowingBuffer {
  #buffer: Buffer
  #length = 0

  /** `expectedBytes` is only a hint of the sender, so it is not allocated if it is large. */
  constructor(expectedBytes: number) {
    const isLikely = expectedBytes > 0 && expectedBytes <= 64 * FIRST_BYTES
    this.#buffer = Buffer.allocUnsafeSlow(isLikely ? expectedBytes : FIRST_BYTES)
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}
