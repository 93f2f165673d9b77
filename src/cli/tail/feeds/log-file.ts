/** One file of a log: plain and perhaps still growing, or compressed and finished. */
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { LineSplitter } from '../../files/line-splitter.ts'
import { openSource } from '../../files/open-source.ts'
import { READ_BYTES } from './feed.ts'
import { HEAD_BYTES, isCompressed, type LogPart, makePosition, type Position, readHeadOf } from './log-position.ts'

export interface LogFile {
  /** The next lines; none at the current end of the file. */
  read(): Promise<readonly Buffer[]>
  /** The last line without an end, if nothing will be added. */
  finish(): readonly Buffer[]
  position(): Position
  /** Whether the path still names this file, and whether the file was truncated. */
  fate(): 'same' | 'missing' | 'replaced' | 'truncated'
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

  position(): Position {
    const takenBytes = this.#startBytes + this.#splitter.takenBytes
    if (this.#head.length < Math.min(HEAD_BYTES, takenBytes)) this.#head = readHeadOf(this.#file)
    return makePosition(this.#head, takenBytes)
  }

  fate() {
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    if (!stats) return 'missing'
    // A new empty file: the writer may not have switched to it yet.
    if (identityOf(stats) !== this.#identity) return stats.size > 0 ? 'replaced' : 'same'
    if (stats.size < this.#readBytes) return 'truncated'
    // Truncated and filled again: it begins differently.
    const { headBytes } = this.position()
    return readHeadOf(this.#file).subarray(0, headBytes).equals(this.#head.subarray(0, headBytes))
      ? 'same'
      : 'truncated'
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
    position: () => makePosition(head, startBytes + splitter.takenBytes),
    fate: () => 'same',
    async close() {
      await iterator.return?.()
    },
  }
}
