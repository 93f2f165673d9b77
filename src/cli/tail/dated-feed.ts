/**
 * The lines of files that are begun one after the other and have their date and a number in their names: what is called
 * `acct.csv` is written to `acct-2026-11-15-0000.csv`, then to `acct-2026-11-15-0001.csv`.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { AppError } from '../../lib/app-error.ts'
import { whyUnreadable } from '../why-unreadable.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Feed, Portion, Report } from './feed.ts'
import { type LogFile, openLogFile } from './log-file.ts'

const PLACE = 'place'

interface DatedPlace {
  /** Of the file that is read, or was read last. */
  readonly name: string
  readonly takenBytes: number
}

export class DatedFeed implements Feed {
  /** Another file is begun sooner or later. */
  readonly hasEnded = false
  readonly #folder: string
  readonly #start: string
  readonly #end: string
  readonly #report: Report
  #place: DatedPlace | undefined
  #file: LogFile | undefined

  constructor(path: string, checkpoint: Checkpoint, report: Report) {
    this.#folder = dirname(path)
    this.#end = extname(path)
    this.#start = `${basename(path, this.#end)}-`
    this.#report = report
    this.#place = checkpoint.get(PLACE) as DatedPlace | undefined
  }

  async next(): Promise<Portion | undefined> {
    for (;;) {
      // Asked before the reading: where another was begun by then, this one ends where the reading ends.
      const names = this.#listNames()
      this.#file ??= await this.#open(names)
      const { name } = this.#place ?? {}
      if (!this.#file || name === undefined) return undefined
      const lines = await this.#file.read()
      if (lines.length > 0) return this.#portion(this.#file, name, lines)
      const next = names.find((other) => other > name)
      if (next === undefined) return undefined
      const last = this.#file.finish()
      const portion = this.#portion(this.#file, name, last)
      await this.#leave(next)
      if (last.length > 0) return portion
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }

  #portion(file: LogFile, name: string, lines: readonly Buffer[]): Portion {
    this.#place = { name, takenBytes: file.place().takenBytes }
    return { lines, changes: [[PLACE, this.#place]] }
  }

  async #leave(next: string): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    this.#place = { name: next, takenBytes: 0 }
  }

  /** Oldest first. */
  #listNames(): readonly string[] {
    try {
      const middles = /^\d{4}-\d\d-\d\d-\d{4,}$/
      const names = readdirSync(this.#folder).filter(
        (name) =>
          name.startsWith(this.#start) &&
          name.endsWith(this.#end) &&
          middles.test(name.slice(this.#start.length, name.length - this.#end.length)),
      )
      return names.toSorted()
    } catch (error) {
      throw new AppError('not_found', `The folder ${this.#folder} cannot be read: ${whyUnreadable(error, 'folder')}`, {
        cause: error,
      })
    }
  }

  /** The one that the place is in; the first where there is no place; the next one where it is gone. */
  async #open(names: readonly string[]): Promise<LogFile | undefined> {
    const place = this.#place
    const name = place === undefined ? names[0] : names.find((other) => other >= place.name)
    if (name === undefined) return undefined
    const isGone = place !== undefined && name !== place.name
    if (isGone) this.#report(`${place.name} is gone; what was not read of it is lost. Going on with ${name}.`)
    this.#place = place !== undefined && !isGone ? place : { name, takenBytes: 0 }
    const path = join(this.#folder, name)
    try {
      return await openLogFile({ path, startBytes: this.#place.takenBytes })
    } catch (error) {
      if (!(error instanceof Error && 'errno' in error)) throw error
      throw new AppError('not_found', `${path} cannot be read: ${whyUnreadable(error, 'file')}`, { cause: error })
    }
  }
}
