/** Decompresses a zstd file that still grows: everything that the bytes so far give, frame after frame. */
import { createZstdDecompress } from 'node:zlib'
import { FrameWalker } from '../import/zstd-frames.ts'

export class ZstdDecoder {
  readonly #stream = createZstdDecompress()
  readonly #walker = new FrameWalker()
  #decoded: Buffer[] = []

  constructor() {
    this.#stream.on('data', (chunk: Buffer) => this.#decoded.push(chunk))
    // Told to whoever writes; without a listener it would end the process.
    this.#stream.on('error', () => undefined)
  }

  /** Rejects when the bytes are no zstd. */
  async decode(chunk: Buffer): Promise<Buffer> {
    let start = 0
    for (const end of [...this.#walker.frameEnds(chunk), chunk.length]) {
      if (end > start) await this.#write(chunk.subarray(start, end))
      start = end
    }
    const decoded = Buffer.concat(this.#decoded)
    this.#decoded = []
    return decoded
  }

  close(): void {
    this.#stream.destroy()
  }

  /** Resolves when the decoder has given out everything that the bytes yield. */
  #write(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // A stream that fails does not call back.
    this.#stream.once('error', reject)
    this.#stream.write(bytes, (error) => {
      this.#stream.off('error', reject)
      if (error) reject(error)
      else resolve()
    })
    return promise
  }
}
