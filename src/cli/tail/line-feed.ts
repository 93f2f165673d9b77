/**
 * The lines of a log that is rotated: renamed, compressed, or copied and emptied. What was written while nobody followed it
 * is found in the rotated files, as long as they are there.
 */
import { existsSync } from 'node:fs'
import { AppError } from '../../lib/app-error.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Feed, Portion, Report } from './feed.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { findPartsAfter, type LogPart, listParts, type Place } from './log-place.ts'

const PLACE = 'place'

export class LineFeed implements Feed {
  readonly hasEnded = false
  readonly #path: string
  readonly #checkpoint: Checkpoint
  readonly #report: Report
  /** What comes after the open file. */
  #parts: LogPart[] | undefined
  #file: LogFile | undefined
  #isLast = false

  constructor(path: string, checkpoint: Checkpoint, report: Report) {
    this.#path = path
    this.#checkpoint = checkpoint
    this.#report = report
  }

  async next(): Promise<Portion | undefined> {
    if (this.#parts === undefined) this.#parts = [...(await this.#findParts())]
    for (;;) {
      this.#file ??= await this.#openNext()
      if (!this.#file) return undefined
      // Asked before the reading: what was replaced by then ends where the reading ends.
      const fate = this.#isLast ? this.#file.fate() : 'replaced'
      if (fate === 'emptied') {
        await this.#startOver('was emptied')
        continue
      }
      const lines = await this.#read(this.#file)
      if (lines.length > 0) return this.#portion(this.#file, lines)
      if (fate !== 'replaced') return undefined
      const last = this.#file.finish()
      const portion = this.#portion(this.#file, last)
      await this.#close()
      if (this.#isLast) this.#parts = [{ path: this.#path, startBytes: 0 }]
      if (last.length > 0) return portion
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }

  #portion(file: LogFile, lines: readonly Buffer[]): Portion {
    return { lines, changes: [[PLACE, file.place()]] }
  }

  async #findParts(): Promise<readonly LogPart[]> {
    const place = this.#checkpoint.get(PLACE) as Place | undefined
    if (!place || place.takenBytes === 0) {
      if (!existsSync(this.#path)) throw new AppError('not_found', `${this.#path} cannot be read: there is no such file.`)
      return [{ path: this.#path, startBytes: 0 }]
    }
    const parts = await findPartsAfter(this.#path, place)
    if (parts) return parts
    this.#report(`The place that was reached in ${this.#path} is in none of its files any more: all of them are read from their beginning.`)
    return listParts(this.#path)
  }

  /** What was copied away before the log was emptied is read there, from the place that was reached. */
  async #startOver(reason: string): Promise<void> {
    const place = this.#file?.place()
    await this.#close()
    const parts = place && place.takenBytes > 0 ? await findPartsAfter(this.#path, place) : undefined
    if (!parts) this.#report(`${this.#path} ${reason}: it is read from its beginning.`)
    this.#parts = [...(parts ?? [{ path: this.#path, startBytes: 0 }])]
  }

  async #openNext(): Promise<LogFile | undefined> {
    const [part, ...rest] = this.#parts ?? []
    // Between the renaming of the old file and the making of the new one there is none.
    if (!part || !existsSync(part.path)) return undefined
    this.#parts = rest
    this.#isLast = rest.length === 0
    return openLogFile(part)
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

  async #close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
