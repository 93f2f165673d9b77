/**
 * Lines that survive a power cut as soon as they are written, until somebody has taken them over. Written to segments, one
 * after the other: a sealed segment grows no more, is settled into the lines that shall count, then taken and removed.
 *
 * Settling happens once. Whoever takes lines over and is interrupted finds the same lines again.
 */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const SEGMENT = /^(\d+)\.(open|settled)$/
/** A journal that nobody takes anything from must not fill the disk, whatever state its segments are in. */
const BYTES_MAX = 1024 * 1024 * 1024

interface Waiting {
  readonly line: string
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export class Journal {
  readonly #folder: string
  readonly #bytesMax: number
  #number: number
  /** Of all segments. */
  #bytes: number
  #file: FileHandle | undefined
  #waiting: Waiting[] = []
  /** Everything that touches the open segment, one after the other. */
  #work: Promise<void> = Promise.resolve()

  constructor(folder: string, number: number, bytes: number, bytesMax: number) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    this.#number = number
    this.#bytes = bytes
  }

  /** Resolves when the line is on the disk. Lines that wait are written and flushed together. */
  append(line: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed })
      if (this.#waiting.length === 1) this.#work = this.#work.then(() => this.#write())
    })
  }

  async #write(): Promise<void> {
    const group = this.#waiting
    this.#waiting = []
    try {
      const bytes = Buffer.from(group.map(({ line }) => `${line}\n`).join(''))
      if (this.#bytes + bytes.length > this.#bytesMax) throw new Error('the journal is full')
      const file = await this.#segmentToWrite()
      await file.appendFile(bytes)
      await file.datasync()
      this.#bytes += bytes.length
      for (const { done } of group) done()
    } catch (error) {
      // Half a line may be in it: what follows goes into another segment.
      await this.#close().catch(() => undefined)
      for (const { failed } of group) failed(error)
    }
  }

  async #segmentToWrite(): Promise<FileHandle> {
    if (this.#file) return this.#file
    this.#number += 1
    this.#file = await open(this.#path(this.#number, 'open'), 'ax', 0o600)
    await this.#syncFolder()
    return this.#file
  }

  /** What comes next goes into another segment. Gives the segments that grow no more, oldest first. */
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

  /** Whole lines alone: one without its end was never said to be written. */
  async readSealed(segment: number): Promise<readonly string[]> {
    const text = await readFile(this.#path(segment, 'open'), 'utf8')
    return text.split('\n').slice(0, -1)
  }

  /** From here on these lines are what counts of the segment. */
  async settle(segment: number, lines: readonly string[]): Promise<void> {
    const draft = `${this.#path(segment, 'settled')}.new`
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, this.#path(segment, 'settled'))
    this.#bytes += bytes.length
    await this.#syncFolder()
    await this.#remove(segment, 'open')
  }

  /** Oldest first. */
  listSettled(): Promise<readonly number[]> {
    return this.#list('settled')
  }

  async readSettled(segment: number): Promise<readonly string[]> {
    return (await readFile(this.#path(segment, 'settled'), 'utf8')).split('\n').slice(0, -1)
  }

  /** After its lines were taken over for good. */
  removeSettled(segment: number): Promise<void> {
    return this.#remove(segment, 'settled')
  }

  async close(): Promise<void> {
    await this.seal()
  }

  async #remove(segment: number, state: 'open' | 'settled'): Promise<void> {
    const path = this.#path(segment, state)
    const { size } = await stat(path)
    await rm(path)
    // What half a write left behind was never counted.
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

  /** Makes the names of files survive a power cut too. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

/** What an earlier process left is there as sealed and settled segments. */
export async function openJournal(folder: string, bytesMax: number = BYTES_MAX): Promise<Journal> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const segments = await listSegments(folder)
  const settled = new Set(segments.filter(({ state }) => state === 'settled').map(({ number }) => number))
  let bytes = 0
  for (const { number, state, name } of segments) {
    // It was interrupted after settling the segment and before removing it.
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
