/** One file of a log: plain and maybe still growing, or compressed and finished. */
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { openSource } from '../import/open-source.ts'
import { READ_BYTES } from './feed.ts'
import { LineSplitter } from './line-splitter.ts'
import { HEAD_BYTES, isCompressed, type LogPart, makePlace, type Place, readHeadOf } from './log-place.ts'

export interface LogFile {
  /** The next lines; none at the end of what is there. */
  read(): Promise<readonly Buffer[]>
  /** What is left when nothing will be added: a line without end. */
  finish(): readonly Buffer[]
  place(): Place
  /** Whether what is under the path now is still this file, and not emptied. Asked before a read that finds nothing. */
  fate(): 'same' | 'missing' | 'replaced' | 'emptied'
  close(): Promise<void>
}

export async function openLogFile(part: LogPart): Promise<LogFile> {
  return isCompressed(part.path) ? openCompressed(part) : new PlainLogFile(part)
}

class PlainLogFile implements LogFile {
  readonly #path: string
  readonly #file: number
  readonly #identity: string
  readonly #splitter = new LineSplitter()
  readonly #startBytes: number
  readonly #buffer = Buffer.alloc(READ_BYTES)
  #head: Buffer
  #readBytes: number

  constructor({ path, startBytes }: LogPart) {
    this.#path = path
    this.#file = openSync(path, 'r')
    this.#identity = identityOf(fstatSync(this.#file))
    this.#head = readHeadOf(this.#file)
    this.#startBytes = startBytes
    this.#readBytes = startBytes
  }

  async read(): Promise<readonly Buffer[]> {
    for (;;) {
      const bytes = readSync(this.#file, this.#buffer, 0, READ_BYTES, this.#readBytes)
      if (bytes === 0) return []
      this.#readBytes += bytes
      // Lines outlive the buffer.
      const lines = this.#splitter.push(Buffer.from(this.#buffer.subarray(0, bytes)))
      if (lines.length > 0) return lines
    }
  }

  finish(): readonly Buffer[] {
    return this.#splitter.finish()
  }

  place(): Place {
    const takenBytes = this.#startBytes + this.#splitter.takenBytes
    if (this.#head.length < Math.min(HEAD_BYTES, takenBytes)) this.#head = readHeadOf(this.#file)
    return makePlace(this.#head, takenBytes)
  }

  fate() {
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    if (!stats) return 'missing'
    // A new file without a line yet: its writer may not have come to it.
    if (identityOf(stats) !== this.#identity) return stats.size > 0 ? 'replaced' : 'same'
    if (stats.size < this.#readBytes) return 'emptied'
    // Emptied and filled again since: it begins differently.
    const { headBytes } = this.place()
    return readHeadOf(this.#file).subarray(0, headBytes).equals(this.#head.subarray(0, headBytes)) ? 'same' : 'emptied'
  }

  async close(): Promise<void> {
    closeSync(this.#file)
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}

async function openCompressed({ path, startBytes }: LogPart): Promise<LogFile> {
  const { chunks } = await openSource(path, () => undefined)
  const iterator = chunks[Symbol.asyncIterator]()
  const splitter = new LineSplitter()
  let head = Buffer.alloc(0)
  let skipBytes = startBytes
  return {
    async read() {
      for (;;) {
        const { value, done } = await iterator.next()
        if (done) return []
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, value]).subarray(0, HEAD_BYTES)
        const skipped = Math.min(skipBytes, value.length)
        skipBytes -= skipped
        const lines = splitter.push(value.subarray(skipped))
        if (lines.length > 0) return lines
      }
    },
    finish: () => splitter.finish(),
    place: () => makePlace(head, startBytes + splitter.takenBytes),
    fate: () => 'same',
    async close() {
      await iterator.return?.()
    },
  }
}
