/**
 * A folder of zstd-compressed log segments, as KumoMTA writes them: files that grow for a while and lose their write permission
 * when they are finished. Several may grow at once. The checkpoint forgets a file when it is gone from the folder.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { type Feed, listFolder, type Portion, type Report } from './feed.ts'
import { type LogFile, openSegment } from './log-file.ts'

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
  readonly #readers = new Map<string, LogFile>()

  constructor(folder: string, checkpoint: Checkpoint, report: Report) {
    this.#folder = folder
    this.#checkpoint = checkpoint
    this.#report = report
  }

  async next(): Promise<Portion | undefined> {
    const names = this.#listNames()
    const forgotten = await this.#forget(names)
    if (forgotten) return forgotten
    for (const name of names) {
      const portion = await this.#readNext(name)
      if (portion) return portion
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers.values()) await reader[Symbol.asyncDispose]()
  }

  /** Names begin with the time, so this is the order of creation. */
  #listNames(): readonly string[] {
    const files = listFolder(this.#folder).filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    return files.map((entry) => entry.name).toSorted()
  }

  async #forget(names: readonly string[]): Promise<Portion | undefined> {
    const there = new Set(names.map((name) => KEY_PREFIX + name))
    const gone = this.#checkpoint.list(KEY_PREFIX).filter(([key]) => !there.has(key))
    if (gone.length === 0) return undefined
    for (const [key] of gone) await this.#closeReader(key.slice(KEY_PREFIX.length))
    return { lines: [], changes: gone.map(([key]) => [key, undefined]) }
  }

  async #readNext(name: string): Promise<Portion | undefined> {
    const progress = this.#checkpoint.get(KEY_PREFIX + name) as Progress | undefined
    if (progress?.isDone) return undefined
    // Checked before reading: a file that is finished by then does not grow after the read.
    const path = join(this.#folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats || stats.size === 0) return undefined
    const isFinished = (stats.mode & WRITE_PERMISSIONS) === 0
    try {
      const part = { path, startBytes: progress?.takenBytes ?? 0 }
      const reader = this.#readers.get(name) ?? openSegment(part)
      this.#readers.set(name, reader)
      const lines = await reader.read()
      if (lines.length > 0) return { lines, changes: [[KEY_PREFIX + name, { takenBytes: reader.takenBytes }]] }
      return isFinished ? await this.#finish(name, reader.finish()) : undefined
    } catch (error) {
      return this.#giveUp(name, error)
    }
  }

  async #finish(name: string, lastLines: readonly Buffer[]): Promise<Portion> {
    await this.#closeReader(name)
    return { lines: lastLines, changes: [[KEY_PREFIX + name, { takenBytes: 0, isDone: true }]] }
  }

  /** A damaged segment must not block the next ones. Its readable lines were returned before. */
  async #giveUp(name: string, error: unknown): Promise<Portion | undefined> {
    await this.#closeReader(name)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Removed after it was listed.
    if (code === 'ENOENT') return undefined
    if (!code.startsWith('ZSTD')) throw error
    this.#report(`${join(this.#folder, name)} is not zstd, or damaged (${code}): skipping the rest of it.`)
    return this.#finish(name, [])
  }

  async #closeReader(name: string): Promise<void> {
    await this.#readers.get(name)?.[Symbol.asyncDispose]()
    this.#readers.delete(name)
  }
}
