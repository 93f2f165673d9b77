/** One file of lines, read from an offset as far as it was written: plain or compressed, finished or still growing. */
import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { AppError } from '../../../lib/app-error.ts'
import { LineSplitter } from '../../files/line-splitter.ts'
import { decodeZstd, openSource } from '../../files/open-source.ts'
import { whyUnreadable } from '../../files/why-unreadable.ts'

/** A file to read from an offset, which counts decompressed bytes. */
export interface LogPart {
  readonly path: string
  readonly startBytes: number
}

/** A position in a rotated log: an offset, and a hash of how the file begins, which identifies it under any name. */
export interface Position {
  readonly takenBytes: number
  /** Of the first `headBytes` bytes. */
  readonly headHash: string
  readonly headBytes: number
}

const READ_BYTES = 128 * 1024
/** Log lines begin with the time, so no two files share this many bytes. */
const HEAD_BYTES = 1024

export class LogFile implements AsyncDisposable {
  readonly #path: string
  readonly #chunks: AsyncGenerator<Buffer>
  /** Undefined if it is compressed. */
  readonly #file: number | undefined
  readonly #splitter = new LineSplitter()
  readonly #startBytes: number
  #head: Buffer
  #readBytes: number

  /** Empty chunks mean that there is nothing more for now. Those of a compressed file begin with its first byte. */
  constructor({ path, startBytes }: LogPart, chunks: AsyncGenerator<Buffer>, file?: number) {
    this.#path = path
    this.#chunks = chunks
    this.#file = file
    this.#startBytes = startBytes
    this.#head = file === undefined ? Buffer.alloc(0) : readHeadOf(file)
    this.#readBytes = file === undefined ? 0 : startBytes
  }

  /** The next lines; none at the current end of the file. Rejects if it is damaged. */
  async read(): Promise<readonly Buffer[]> {
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) {
      const skipped = Math.max(this.#startBytes - this.#readBytes, 0)
      this.#readBytes += chunk.length
      const lines = this.#splitter.push(chunk.subarray(skipped))
      if (lines.length > 0) return lines
    }
    return []
  }

  async #next(): Promise<Buffer | undefined> {
    const { value, done } = await this.#chunks.next()
    if (done || value.length === 0) return undefined
    if (this.#file === undefined && this.#head.length < HEAD_BYTES) this.#head = Buffer.concat([this.#head, value])
    return value
  }

  /** How it begins; nothing can be read after that. */
  async readHead(): Promise<Buffer> {
    while (this.#file === undefined && this.#head.length < HEAD_BYTES && (await this.#next()));
    return this.#head
  }

  /** The last line without an end, if nothing will be added. */
  finish(): readonly Buffer[] {
    return this.#splitter.finish()
  }

  /** Decompressed bytes returned as complete lines. */
  get takenBytes(): number {
    return this.#startBytes + this.#splitter.takenBytes
  }

  position(): Position {
    const { takenBytes } = this
    if (this.#file !== undefined && this.#head.length < Math.min(HEAD_BYTES, takenBytes)) {
      this.#head = readHeadOf(this.#file)
    }
    return makePosition(this.#head, takenBytes)
  }

  /** Whether the path still names this file, and whether the file was truncated. */
  fate(): 'same' | 'missing' | 'replaced' | 'truncated' {
    if (this.#file === undefined) return 'same'
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    if (!stats) return 'missing'
    // A new empty file: the writer may not have switched to it yet.
    if (!isSameFile(stats, fstatSync(this.#file))) return stats.size > 0 ? 'replaced' : 'same'
    if (stats.size < this.#readBytes) return 'truncated'
    // Truncated and filled again: it begins differently.
    const { headBytes, headHash } = this.position()
    return makePosition(readHeadOf(this.#file), headBytes).headHash === headHash ? 'same' : 'truncated'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return(undefined)
    if (this.#file !== undefined) closeSync(this.#file)
  }
}

/** Throws AppError `not_found` if it cannot be opened. */
export async function openLogFile(part: LogPart): Promise<LogFile> {
  try {
    if (isCompressed(part.path)) return new LogFile(part, (await openSource(part.path, () => undefined)).chunks)
    const file = openSync(part.path, 'r')
    return new LogFile(part, followFile(file, part.startBytes), file)
  } catch (error) {
    if (!(error instanceof Error && 'errno' in error)) throw error
    throw new AppError('not_found', `${part.path} cannot be read: ${whyUnreadable(error, 'file')}`, { cause: error })
  }
}

/** A file that is compressed while it grows. */
export function openSegment(part: LogPart): LogFile {
  async function* chunks() {
    const file = openSync(part.path, 'r')
    try {
      yield* followFile(file, 0)
    } finally {
      closeSync(file)
    }
  }
  return new LogFile(part, decodeZstd(chunks()))
}

/** The content from an offset on; an empty chunk at the current end. */
async function* followFile(file: number, startBytes: number): AsyncGenerator<Buffer> {
  for (let at = startBytes; ; ) {
    const chunk = Buffer.alloc(READ_BYTES)
    const bytes = readSync(file, chunk, 0, READ_BYTES, at)
    at += bytes
    yield chunk.subarray(0, bytes)
  }
}

export function makePosition(head: Buffer, takenBytes: number): Position {
  const headBytes = Math.min(HEAD_BYTES, takenBytes)
  return { takenBytes, headBytes, headHash: hash('sha256', head.subarray(0, headBytes)) }
}

function readHeadOf(file: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

export function isCompressed(path: string): boolean {
  return /\.(?:gz|zst)$/i.test(path)
}
