/** One zstd-compressed segment of lines, read from a saved offset as far as it was written. */
import { closeSync, openSync, readSync } from 'node:fs'
import { LineSplitter } from '../../files/line-splitter.ts'
import { ZstdDecoder } from '../../files/zstd-decoder.ts'
import { READ_BYTES } from './feed.ts'

export class SegmentReader {
  readonly #file: number
  readonly #decoder = new ZstdDecoder()
  readonly #splitter = new LineSplitter()
  readonly #startBytes: number
  readonly #buffer = Buffer.alloc(READ_BYTES)
  #readBytes = 0
  #skipBytes: number

  /** The first `startBytes` decompressed bytes are skipped: zstd cannot start in the middle of a frame. */
  constructor(path: string, startBytes: number) {
    this.#file = openSync(path, 'r')
    this.#startBytes = startBytes
    this.#skipBytes = startBytes
  }

  /** Decompressed bytes returned as complete lines. */
  get takenBytes(): number {
    return this.#startBytes + this.#splitter.takenBytes
  }

  /** The next lines; none at the current end of the file. Rejects if it is not zstd. */
  async read(): Promise<readonly Buffer[]> {
    for (;;) {
      const bytes = readSync(this.#file, this.#buffer, 0, READ_BYTES, this.#readBytes)
      if (bytes === 0) return []
      this.#readBytes += bytes
      const lines = this.#splitter.push(this.#skipTaken(await this.#decoder.decode(this.#buffer.subarray(0, bytes))))
      if (lines.length > 0) return lines
    }
  }

  /** The last line without an end, if nothing will be added. */
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
