/** One zstd-compressed segment of lines, read as far as it was written, from a place that was reached before. */
import { closeSync, openSync, readSync } from 'node:fs'
import { READ_BYTES } from './feed.ts'
import { LineSplitter } from './line-splitter.ts'
import { ZstdDecoder } from './zstd-decoder.ts'

export class SegmentReader {
  readonly #file: number
  readonly #decoder = new ZstdDecoder()
  readonly #splitter = new LineSplitter()
  readonly #startBytes: number
  readonly #buffer = Buffer.alloc(READ_BYTES)
  #readBytes = 0
  #skipBytes: number

  /** `startBytes` of what is in it, decompressed, were taken before: a frame cannot be entered in its middle. */
  constructor(path: string, startBytes: number) {
    this.#file = openSync(path, 'r')
    this.#startBytes = startBytes
    this.#skipBytes = startBytes
  }

  /** How much of what is in it, decompressed, was given out as whole lines. */
  get takenBytes(): number {
    return this.#startBytes + this.#splitter.takenBytes
  }

  /** The next lines; none at the end of what was written so far. Rejects where it is no zstd. */
  async read(): Promise<readonly Buffer[]> {
    for (;;) {
      const bytes = readSync(this.#file, this.#buffer, 0, READ_BYTES, this.#readBytes)
      if (bytes === 0) return []
      this.#readBytes += bytes
      const lines = this.#splitter.push(this.#skipTaken(await this.#decoder.decode(this.#buffer.subarray(0, bytes))))
      if (lines.length > 0) return lines
    }
  }

  /** What is left of a segment to which nothing will be added: a line without end. */
  finish(): readonly Buffer[] {
    return this.#splitter.finish()
  }

  close(): void {
    closeSync(this.#file)
    this.#decoder.close()
  }

  #skipTaken(decoded: Buffer): Buffer {
    const skipped = Math.min(this.#skipBytes, decoded.length)
    this.#skipBytes -= skipped
    return decoded.subarray(skipped)
  }
}
