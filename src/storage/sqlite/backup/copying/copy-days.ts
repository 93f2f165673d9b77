/** Copies the days, oldest first. One that cannot be read is set aside, byte for byte, and the others are copied. */
import { existsSync } from 'node:fs'
import type { Clock } from '../../../../lib/clock.ts'
import { hasWal } from '../../database/has-wal.ts'
import type { Day } from '../../days/day.ts'
import type { DayFiles } from '../../days/day-files.ts'
import type { DayTroubles } from '../../troubles/day-troubles.ts'
import type { CompleteBackup } from '../backup-folder.ts'
import type { BackupFile } from '../backup-manifest.ts'
import { UnreadableError } from './copy-database.ts'
import { type CopyTarget, databaseBytes } from './copy-target.ts'
import { fileStateOf } from './file-state.ts'
import { verifyDay } from './verify-copy.ts'

export interface DaySources {
  readonly installation: string
  readonly files: DayFiles
  readonly troubles: DayTroubles
  readonly base?: CompleteBackup | undefined
  readonly clock: Clock
}

export class DayCopies {
  readonly #sources: DaySources
  readonly #target: CopyTarget
  /** Those that there are when the backup begins. */
  readonly #days: readonly Day[]
  /** Files of the last backup by path, without those of days that had a problem. */
  readonly #earlier: Map<string, BackupFile>
  /** Last arrival numbers of the copied days. */
  readonly arrivals = new Map<Day, number>()

  constructor(sources: DaySources, target: CopyTarget) {
    this.#sources = sources
    this.#target = target
    this.#days = sources.files.listAll().toReversed()
    const { files = [], problems = [] } = sources.base?.manifest ?? {}
    this.#earlier = new Map(files.map((file) => [file.path, file]))
    for (const { day } of problems) this.#earlier.delete(dayPath(day))
  }

  /** Bytes to be copied, without what can be shared with the last backup. */
  get bytes(): number {
    const changed = this.#days.filter((day) => this.#findShared(day) === undefined)
    return changed.reduce((sum, day) => sum + databaseBytes(this.#sources.files.path(day)), 0)
  }

  async copy(): Promise<void> {
    const aside = new Map(this.#sources.troubles.list().map(({ day, detail }) => [day, detail]))
    for (const day of this.#days) {
      const detail = aside.get(day)
      if (detail === undefined) await this.#copyDay(day)
      else this.#setAside(day, detail)
      aside.delete(day)
    }
    // Those without a file.
    for (const [day, problem] of aside) this.#target.problems.push({ day, problem })
  }

  async #copyDay(day: Day): Promise<void> {
    const shared = this.#findShared(day)
    if (shared && this.#target.share(shared.folder, shared.file)) {
      this.arrivals.set(day, shared.file.arrival ?? 0)
      return
    }
    const path = dayPath(day)
    try {
      await this.#copyChanged(day, path)
    } catch (error) {
      const isRemoved = !existsSync(this.#sources.files.path(day))
      if (!isRemoved && !(error instanceof UnreadableError)) throw error
      this.#target.remove(path)
      // By retention, since the list was made: its counts are in control.db, which is copied later.
      if (!isRemoved) this.#setAside(day, (error as Error).message)
    }
  }

  async #copyChanged(day: Day, path: string): Promise<void> {
    const state = this.#stateOf(day)
    await this.#target.copyDatabase(this.#sources.files.path(day), path)
    const { installation } = this.#sources
    const { events, arrival, isSound, problem } = verifyDay(this.#target.path(path), { installation, day })
    if (!isSound) throw new UnreadableError(problem)
    // One that changed while it was copied is copied again next time.
    const isUnchanged = state !== undefined && state === this.#stateOf(day)
    this.#target.add(path, { events, arrival, ...(isUnchanged && { state }) })
    this.arrivals.set(day, arrival)
    if (problem !== undefined) this.#target.problems.push({ day, problem })
  }

  /** The file of the last backup, if the day has not changed since. */
  #findShared(day: Day): { readonly folder: string; readonly file: BackupFile } | undefined {
    const { base } = this.#sources
    const file = this.#earlier.get(dayPath(day))
    if (!base || file?.state === undefined || file.state !== this.#stateOf(day)) return undefined
    return { folder: base.folder, file }
  }

  #stateOf(day: Day): string | undefined {
    const path = this.#sources.files.path(day)
    return existsSync(path) ? fileStateOf(path, this.#sources.clock()) : undefined
  }

  #setAside(day: Day, problem: string): void {
    const from = this.#sources.files.path(day)
    const file = `aside/${day}.db`
    const suffixes = hasWal(from) ? ['', '-wal'] : ['']
    try {
      for (const suffix of suffixes) this.#target.copyFile(from + suffix, file + suffix)
      this.#target.problems.push({ day, problem, file })
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'read') throw error
      for (const suffix of suffixes) this.#target.remove(file + suffix)
      this.#target.problems.push({ day, problem: `${problem}; its bytes cannot be read either: ${error.message}` })
    }
  }
}

/** In a backup. */
export function dayPath(day: Day): string {
  return `events/${day}.db`
}
