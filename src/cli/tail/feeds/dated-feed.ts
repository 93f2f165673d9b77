/**
 * The lines of files that follow each other, with date and number in their names: `acct.csv` is written to
 * `acct-2026-11-15-0000.csv`, then to `acct-2026-11-15-0001.csv`.
 */
import { basename, dirname, extname, join } from 'node:path'
import type { Checkpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { type Feed, listFolder, type Portion, type Report } from './feed.ts'
import { type LogFile, openLogFile } from './log-file.ts'

const POSITION = 'place'

interface DatedPosition {
  /** Of the file that is, or was last, read. */
  readonly name: string
  readonly takenBytes: number
}

export class DatedFeed implements Feed {
  /** Another file will follow. */
  readonly hasEnded = false
  readonly #folder: string
  readonly #start: string
  readonly #end: string
  readonly #report: Report
  #position: DatedPosition | undefined
  #file: LogFile | undefined

  constructor(path: string, checkpoint: Checkpoint, report: Report) {
    this.#folder = dirname(path)
    this.#end = extname(path)
    this.#start = `${basename(path, this.#end)}-`
    this.#report = report
    this.#position = checkpoint.get(POSITION) as DatedPosition | undefined
  }

  async next(): Promise<Portion | undefined> {
    for (;;) {
      // Listed before reading: if the next file exists by then, nothing is added to this one after the read.
      const names = this.#listNames()
      this.#file ??= await this.#open(names)
      const { name } = this.#position ?? {}
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
    await this.#file?.[Symbol.asyncDispose]()
  }

  #portion(file: LogFile, name: string, lines: readonly Buffer[]): Portion {
    this.#position = { name, takenBytes: file.takenBytes }
    return { lines, changes: [[POSITION, this.#position]] }
  }

  async #leave(next: string): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]()
    this.#file = undefined
    this.#position = { name: next, takenBytes: 0 }
  }

  /** Oldest first. */
  #listNames(): readonly string[] {
    const middles = /^\d{4}-\d\d-\d\d-\d{4,}$/
    const names = listFolder(this.#folder).map((entry) => entry.name)
    return names
      .filter((name) => name.startsWith(this.#start) && name.endsWith(this.#end))
      .filter((name) => middles.test(name.slice(this.#start.length, name.length - this.#end.length)))
      .toSorted()
  }

  /** The file of the position; without a position the first one; if that file is gone, the next one. */
  async #open(names: readonly string[]): Promise<LogFile | undefined> {
    const position = this.#position
    const name = position === undefined ? names[0] : names.find((other) => other >= position.name)
    if (name === undefined) return undefined
    const isGone = position !== undefined && name !== position.name
    if (isGone) this.#report(`${position.name} is gone; its unread part is lost. Continuing with ${name}.`)
    this.#position = position !== undefined && !isGone ? position : { name, takenBytes: 0 }
    const path = join(this.#folder, name)
    return openLogFile({ path, startBytes: this.#position.takenBytes })
  }
}
