/**
 * A folder of zstd-compressed log segments, as KumoMTA writes them: files that grow for a while and lose their write permission
 * when they are finished. Several may grow at once. The checkpoint forgets a file when it is gone from the folder.
 */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { whyUnreadable } from '../../files/why-unreadable.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Feed, Portion, Report } from './feed.ts'
import { SegmentReader } from './segment-reader.ts'

/** Saved for each file; a finished one needs no offset. */
interface Progress {
  readonly takenBytes: number
  readonly isDone?: true
}

const KEY_PREFIX = 'segment '
const WRITE_PERMISSIONS = 0o222

export class SegmentFeed implements Feed {
  /** KumoMTA will start another segment. */
  readonly hasEnded = false
  readonly #folder: string
  readonly #checkpoint: Checkpoint
  readonly #report: Report
  readonly #readers = new Map<string, SegmentReader>()

  constructor(folder: string, checkpoint: Checkpoint, report: Report) {
    this.#folder = folder
    this.#checkpoint = checkpoint
    this.#report = report
  }

  async next(): Promise<Portion | undefined> {
    const names = this.#listNames()
    const forgotten = this.#forget(names)
    if (forgotten) return forgotten
    for (const name of names) {
      const portion = await this.#readNext(name)
      if (portion) return portion
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers.values()) reader.close()
  }

  /** Names begin with the time, so this is the order of creation. */
  #listNames(): readonly string[] {
    try {
      const entries = readdirSync(this.#folder, { withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      return files.map((entry) => entry.name).toSorted()
    } catch (error) {
      throw new AppError('not_found', `The folder ${this.#folder} cannot be read: ${whyUnreadable(error, 'folder')}`)
    }
  }

  #forget(names: readonly string[]): Portion | undefined {
    const there = new Set(names.map((name) => KEY_PREFIX + name))
    const gone = this.#checkpoint.list(KEY_PREFIX).filter(([key]) => !there.has(key))
    if (gone.length === 0) return undefined
    for (const [key] of gone) this.#closeReader(key.slice(KEY_PREFIX.length))
    return { lines: [], changes: gone.map(([key]) => [key, undefined]) }
  }

  async #readNext(name: string): Promise<Portion | undefined> {
    const progress = this.#checkpoint.get(KEY_PREFIX + name) as Progress | undefined
    if (progress?.isDone) return undefined
    // Checked before reading: a file that is finished by then does not grow after the read.
    const stats = findStats(join(this.#folder, name))
    if (!stats || stats.size === 0) return undefined
    const isFinished = (stats.mode & WRITE_PERMISSIONS) === 0
    try {
      const reader = this.#openReader(name, progress?.takenBytes ?? 0)
      const lines = await reader.read()
      if (lines.length > 0) return { lines, changes: [[KEY_PREFIX + name, { takenBytes: reader.takenBytes }]] }
      return isFinished ? this.#finish(name, reader.finish()) : undefined
    } catch (error) {
      return this.#giveUp(name, error)
    }
  }

  #openReader(name: string, takenBytes: number): SegmentReader {
    let reader = this.#readers.get(name)
    if (!reader) {
      reader = new SegmentReader(join(this.#folder, name), takenBytes)
      this.#readers.set(name, reader)
    }
    return reader
  }

  #finish(name: string, lastLines: readonly Buffer[]): Portion {
    this.#closeReader(name)
    return { lines: lastLines, changes: [[KEY_PREFIX + name, { takenBytes: 0, isDone: true }]] }
  }

  /** A damaged segment must not block the next ones. Its readable lines were returned before. */
  #giveUp(name: string, error: unknown): Portion | undefined {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Removed after it was listed.
    if (code === 'ENOENT') return undefined
    if (!code.startsWith('ZSTD')) throw error
    this.#report(`${join(this.#folder, name)} is not zstd, or damaged (${code}): skipping the rest of it.`)
    return this.#finish(name, [])
  }

  #closeReader(name: string): void {
    this.#readers.get(name)?.close()
    this.#readers.delete(name)
  }
}

function findStats(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
