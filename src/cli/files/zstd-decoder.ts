/** Decompresses zstd as far as its bytes go, frame after frame. `pzstd`, appending and concatenating make files of several. */
import { once } from 'node:events'
import { createZstdDecompress } from 'node:zlib'

/** RFC 8878 section 3.1.1 and, for frames that carry no data, 3.1.2. */
const FRAME_MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50

export function isZstd(head: Buffer): boolean {
  if (head.length < 4) return false
  const magic = head.readUInt32LE(0)
  return magic === FRAME_MAGIC || (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC
}

export class ZstdDecoder {
  #decoded: Buffer[] = []
  #stream = this.#open()

  /** Rejects if the bytes are not zstd. */
  async decode(chunk: Buffer): Promise<Buffer> {
    for (let rest = chunk; ; ) {
      const before = this.#stream.bytesWritten
      await this.#write(rest)
      rest = rest.subarray(this.#stream.bytesWritten - before)
      if (rest.length === 0) break
      // A frame has ended. Node's decoder drops the rest of the chunk then.
      this.close()
      this.#stream = this.#open()
    }
    const decoded = Buffer.concat(this.#decoded)
    this.#decoded = []
    return decoded
  }

  /** Rejects if the last frame is incomplete. */
  async finish(): Promise<void> {
    this.#stream.end()
    if (!this.#stream.readableEnded) await once(this.#stream, 'end')
  }

  close(): void {
    this.#stream.destroy()
  }

  #open() {
    const stream = createZstdDecompress()
    stream.on('data', (chunk: Buffer) => this.#decoded.push(chunk))
    // Reported by the write; without a listener it would end the process.
    return stream.on('error', () => undefined)
  }

  /** Resolves when the decoder has returned everything that the bytes hold. */
  #write(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // A failing stream does not call back.
    this.#stream.once('error', reject)
    this.#stream.write(bytes, (error) => {
      this.#stream.off('error', reject)
      if (error) reject(error)
      else resolve()
    })
    return promise
  }
}
