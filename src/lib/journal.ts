/**
 * A write-ahead journal of lines, durable once written, until a consumer has stored them elsewhere. Lines are appended to
 * segments: a sealed segment no longer grows, is settled (replaced by the lines that count), consumed and removed.
 *
 * A segment is settled once, so a consumer that is interrupted reads the same lines again.
 */
import { type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

const SEGMENT = /^(\d+)\.(open|settled)$/
/** Total of all segments: a journal that is not consumed must not fill the disk. */
const BYTES_MAX = 1024 * 1024 * 1024

export class Journal {
  readonly #folder: string
  readonly #bytesMax: number
  #number: number
  /** Of all segments. */
  #bytes: number
  #file: FileHandle | undefined
  #waiting: string[] = []
  /** When the waiting lines are written. */
  #written: Promise<void> = Promise.resolve()
  /** Serializes all operations on the open segment. */
  #work: Promise<void> = Promise.resolve()

  constructor(folder: string, number: number, bytes: number, bytesMax: number) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    this.#number = number
    this.#bytes = bytes
  }

  /** Of all segments. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when the line is durable. Waiting lines are written and flushed together. */
  append(line: string): Promise<void> {
    this.#waiting.push(line)
    if (this.#waiting.length === 1) {
      this.#written = this.#work.then(() => this.#write())
      this.#work = this.#written.catch(() => undefined)
    }
    return this.#written
  }

  async #write(): Promise<void> {
    const bytes = toBytes(this.#waiting)
    this.#waiting = []
    try {
      if (this.#bytes + bytes.length > this.#bytesMax) throw new Error('the journal is full')
      const file = await this.#segmentToWrite()
      await file.appendFile(bytes)
      await file.datasync()
      this.#bytes += bytes.length
    } catch (error) {
      // The segment may end in a partial line: start another.
      await this.#close().catch(() => undefined)
      throw error
    }
  }

  async #segmentToWrite(): Promise<FileHandle> {
    if (this.#file) return this.#file
    this.#number += 1
    this.#file = await open(this.#path(this.#number, 'open'), 'ax', 0o600)
    await this.#syncFolder()
    return this.#file
  }

  /** Closes the open segment. Returns all sealed segments, oldest first. */
  async seal(): Promise<readonly number[]> {
    this.#work = this.#work.then(() => this.#close()).catch(() => undefined)
    await this.#work
    return this.#list('open')
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  readSealed(segment: number): Promise<readonly string[]> {
    return readLines(this.#path(segment, 'open'))
  }

  /** Replaces the sealed segment by these lines. */
  async settle(segment: number, lines: readonly string[]): Promise<void> {
    const draft = `${this.#path(segment, 'settled')}.new`
    const bytes = toBytes(lines)
    await writeFile(draft, bytes, { mode: 0o600, flush: true })
    await rename(draft, this.#path(segment, 'settled'))
    this.#bytes += bytes.length
    await this.#syncFolder()
    await this.#remove(segment, 'open')
  }

  /** Oldest first. */
  listSettled(): Promise<readonly number[]> {
    return this.#list('settled')
  }

  readSettled(segment: number): Promise<readonly string[]> {
    return readLines(this.#path(segment, 'settled'))
  }

  /** To be called once its lines are durable elsewhere. */
  removeSettled(segment: number): Promise<void> {
    return this.#remove(segment, 'settled')
  }

  /** Removes lines from all segments, the open one too, which is sealed first. Returns how many. Not while a segment is settled. */
  async removeLines(isRemoved: (line: string) => boolean): Promise<number> {
    await this.seal()
    let removed = 0
    // Left by an interruption; nobody reads them.
    for (const name of await readdir(this.#folder)) if (name.endsWith('.new')) await rm(join(this.#folder, name))
    for (const state of ['open', 'settled'] as const) {
      for (const segment of await this.#list(state))
        removed += await this.#rewrite(this.#path(segment, state), isRemoved)
    }
    if (removed > 0) await this.#syncFolder()
    return removed
  }

  async #rewrite(path: string, isRemoved: (line: string) => boolean): Promise<number> {
    const lines = await readLines(path)
    const kept = lines.filter((line) => !isRemoved(line))
    if (kept.length === lines.length) return 0
    const draft = `${path}.new`
    const bytes = toBytes(kept)
    const { size } = await stat(path)
    await writeFile(draft, bytes, { mode: 0o600, flush: true })
    await rename(draft, path)
    this.#bytes -= Math.min(this.#bytes, size - bytes.length)
    return lines.length - kept.length
  }

  async close(): Promise<void> {
    await this.seal()
  }

  async #remove(segment: number, state: 'open' | 'settled'): Promise<void> {
    const path = this.#path(segment, state)
    const { size } = await stat(path)
    await rm(path)
    // Bytes of a failed write were never counted.
    this.#bytes -= Math.min(this.#bytes, size)
  }

  async #list(state: 'open' | 'settled'): Promise<readonly number[]> {
    const found = (await listSegments(this.#folder)).filter((segment) => segment.state === state)
    const current = this.#file ? this.#number : undefined
    return found.map(({ number }) => number).filter((number) => state === 'settled' || number !== current)
  }

  #path(segment: number, state: 'open' | 'settled'): string {
    return join(this.#folder, `${String(segment).padStart(12, '0')}.${state}`)
  }

  /** Makes file names durable. */
  async #syncFolder(): Promise<void> {
    await using folder = await open(this.#folder, 'r')
    await folder.sync()
  }
}

/** Segments of an earlier process are there as sealed and settled ones. */
export async function openJournal(folder: string, bytesMax: number = BYTES_MAX): Promise<Journal> {
  makeFolder(folder)
  const segments = await listSegments(folder)
  const settled = new Set(segments.filter(({ state }) => state === 'settled').map(({ number }) => number))
  let bytes = 0
  for (const { number, state, name } of segments) {
    // Interrupted between settling the segment and removing it.
    if (state === 'open' && settled.has(number)) await rm(join(folder, name))
    else bytes += (await stat(join(folder, name))).size
  }
  return new Journal(folder, segments.at(-1)?.number ?? 0, bytes, bytesMax)
}

async function listSegments(folder: string) {
  return (await readdir(folder))
    .map((name) => SEGMENT.exec(name))
    .filter((match) => match !== null)
    .map(([name, number = '', state = '']) => ({ name, number: Number(number), state }))
    .toSorted((a, b) => a.number - b.number)
}

function toBytes(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

/** Without a partial last line, which was never acknowledged. */
async function readLines(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1)
}
