/**
 * The lines of a log that is rotated: renamed, compressed, or copied and emptied. What was written while nobody followed it
 * is found in the rotated files, as long as they are there.
 */
import { existsSync } from 'node:fs'
import { AppError } from '../../lib/app-error.ts'
import { whyUnreadable } from '../why-unreadable.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Feed, Portion, Report } from './feed.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { findPartsAfter, type LogPart, listParts, type Place } from './log-place.ts'

const PLACE = 'place'

/** Where to go on when no file is open. Names change with every rotation, so it is asked anew each time. */
type Onward =
  | 'from checkpoint'
  /** The log was emptied: what was copied before is read on. */
  | 'from place'
  /** A file came to its end. */
  | 'behind place'

export class LineFeed implements Feed {
  readonly hasEnded = false
  readonly #path: string
  readonly #checkpoint: Checkpoint
  readonly #report: Report
  #file: LogFile | undefined
  /** Whether the open file is the log itself, and not a rotated one. */
  #isLog = false
  #onward: Onward = 'from checkpoint'
  /** The last one in a file that had lines. */
  #place: Place | undefined

  constructor(path: string, checkpoint: Checkpoint, report: Report) {
    this.#path = path
    this.#checkpoint = checkpoint
    this.#report = report
  }

  async next(): Promise<Portion | undefined> {
    for (;;) {
      this.#file ??= await this.#open()
      if (!this.#file) return undefined
      // Asked before the reading: what was replaced by then ends where the reading ends.
      const fate = this.#isLog ? this.#file.fate() : 'replaced'
      if (fate === 'emptied') {
        await this.#leave('from place')
        continue
      }
      const isUntouched = this.#isLog && this.#file.place().takenBytes === 0
      const lines = await this.#read(this.#file)
      if (isUntouched && lines.length > 0 && (await this.#hasMissedParts())) {
        await this.#leave('behind place')
        continue
      }
      if (lines.length > 0) return this.#portion(this.#file, lines)
      if (fate !== 'replaced') return undefined
      const last = this.#file.finish()
      const portion = this.#portion(this.#file, last)
      await this.#leave('behind place')
      if (last.length > 0) return portion
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }

  /** A log that was filled, copied and emptied again before it was ever read looks as if nothing had happened. */
  async #hasMissedParts(): Promise<boolean> {
    const parts = this.#place && (await findPartsAfter(this.#path, this.#place))
    return parts !== undefined && parts.length > 2
  }

  #portion(file: LogFile, lines: readonly Buffer[]): Portion {
    const place = file.place()
    if (place.takenBytes > 0) this.#place = place
    return { lines, changes: [[PLACE, this.#place]] }
  }

  async #leave(onward: Onward): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    this.#onward = onward
  }

  async #open(): Promise<LogFile | undefined> {
    const parts = await this.#findParts(this.#onward)
    const [part] = parts
    // Between the renaming of the old file and the making of the new one there is none.
    if (!part || !existsSync(part.path)) return undefined
    this.#isLog = part.path === this.#path
    try {
      return await openLogFile(part)
    } catch (error) {
      if (!(error instanceof Error && 'errno' in error)) throw error
      throw new AppError('not_found', `${part.path} cannot be read: ${whyUnreadable(error, 'file')}`, { cause: error })
    }
  }

  /** What is to be read next comes first. */
  async #findParts(onward: Onward): Promise<readonly LogPart[]> {
    const log = { path: this.#path, startBytes: 0 }
    if (onward === 'from checkpoint') return this.#findPartsOfCheckpoint()
    const parts = this.#place && (await findPartsAfter(this.#path, this.#place))
    if (onward === 'behind place') return parts && parts.length > 1 ? parts.slice(1) : [log]
    if (!parts) this.#report(`${this.#path} was emptied: it is read from its beginning.`)
    return parts ?? [log]
  }

  async #findPartsOfCheckpoint(): Promise<readonly LogPart[]> {
    const place = this.#checkpoint.get(PLACE) as Place | undefined
    this.#place = place
    if (!place) {
      if (!existsSync(this.#path))
        throw new AppError('not_found', `${this.#path} cannot be read: there is no such file.`)
      return [{ path: this.#path, startBytes: 0 }]
    }
    const parts = await findPartsAfter(this.#path, place)
    if (parts) return parts
    this.#report(
      `The place that was reached in ${this.#path} is in none of its files any more: all of them are read from their beginning.`,
    )
    return listParts(this.#path)
  }

  /** A compressed file that is damaged must not keep the next ones waiting. */
  async #read(file: LogFile): Promise<readonly Buffer[]> {
    try {
      return await file.read()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!/^(?:Z_|ZSTD)/.test(code)) throw error
      this.#report(`A rotated file of ${this.#path} is damaged (${code}): the rest of it is left out.`)
      return []
    }
  }
}
