/**
 * The lines of a log that is rotated: renamed, compressed, or copied and truncated. Lines written while the log was not followed
 * are found in the rotated files, as long as they exist.
 */
import { existsSync } from 'node:fs'
import { AppError } from '../../../lib/app-error.ts'
import type { Checkpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import type { Feed, Portion, Report } from './feed.ts'
import { type LogFile, type LogPart, openLogFile, type Position } from './log-file.ts'
import { findPartsAfter, listParts } from './log-position.ts'

const POSITION = 'place'

/** Where to continue if no file is open. Names change with every rotation, so it is decided again each time. */
type Onward =
  | 'from checkpoint'
  /** The log was truncated: continue in the copy that was made before. */
  | 'from position'
  /** The end of a file was reached. */
  | 'after position'

export class LineFeed implements Feed {
  readonly hasEnded = false
  readonly #path: string
  readonly #report: Report
  #file: LogFile | undefined
  /** The open file is the log itself, not a rotated one. */
  #isLog = false
  #onward: Onward = 'from checkpoint'
  /** The last position in a file that had lines. */
  #position: Position | undefined

  constructor(path: string, checkpoint: Checkpoint, report: Report) {
    this.#path = path
    this.#report = report
    this.#position = checkpoint.get(POSITION) as Position | undefined
  }

  async next(): Promise<Portion | undefined> {
    for (;;) {
      this.#file ??= await this.#open()
      if (!this.#file) return undefined
      // Checked before reading: a file that is replaced by then does not grow after the read.
      const fate = this.#isLog ? this.#file.fate() : 'replaced'
      if (fate === 'truncated') {
        await this.#leave('from position')
        continue
      }
      const isUntouched = this.#isLog && this.#file.takenBytes === 0
      const lines = await this.#read(this.#file)
      if (isUntouched && lines.length > 0 && (await this.#hasMissedParts())) {
        await this.#leave('after position')
        continue
      }
      if (lines.length > 0) return this.#portion(this.#file, lines)
      if (fate !== 'replaced') return undefined
      const last = this.#file.finish()
      const portion = this.#portion(this.#file, last)
      await this.#leave('after position')
      if (last.length > 0) return portion
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]()
  }

  /** A log that was filled, copied and truncated before it was ever read looks unchanged. */
  async #hasMissedParts(): Promise<boolean> {
    const parts = this.#position && (await findPartsAfter(this.#path, this.#position))
    return parts !== undefined && parts.length > 2
  }

  #portion(file: LogFile, lines: readonly Buffer[]): Portion {
    const position = file.position()
    if (position.takenBytes > 0) this.#position = position
    return { lines, changes: [[POSITION, this.#position]] }
  }

  async #leave(onward: Onward): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]()
    this.#file = undefined
    this.#onward = onward
  }

  async #open(): Promise<LogFile | undefined> {
    const [part] = await this.#findParts()
    // Between the renaming of the old file and the creation of the new one there is none.
    if (!part || !existsSync(part.path)) return undefined
    this.#isLog = part.path === this.#path
    return openLogFile(part)
  }

  /** The part to read next comes first. */
  async #findParts(): Promise<readonly LogPart[]> {
    const log = { path: this.#path, startBytes: 0 }
    const parts = this.#position && (await findPartsAfter(this.#path, this.#position))
    if (this.#onward === 'after position') return parts && parts.length > 1 ? parts.slice(1) : [log]
    if (parts) return parts
    if (this.#onward === 'from position') {
      this.#report(`${this.#path} was truncated: reading it from the beginning.`)
      return [log]
    }
    if (!this.#position) {
      if (existsSync(this.#path)) return [log]
      throw new AppError('not_found', `${this.#path} cannot be read: there is no such file.`)
    }
    this.#report(
      `The saved position was not found in ${this.#path} or its rotated files: reading all of them from the beginning.`,
    )
    return listParts(this.#path)
  }

  /** A damaged compressed file must not block the next ones. */
  async #read(file: LogFile): Promise<readonly Buffer[]> {
    try {
      return await file.read()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!/^(?:Z_|ZSTD)/.test(code)) throw error
      this.#report(`A rotated file of ${this.#path} is damaged (${code}): skipping the rest of it.`)
      return []
    }
  }
}
