/** The days that have a file, in control.db: what they had when they were last seen, to notice what is missing. */
import { statSync } from 'node:fs'
import type { Database } from '../database/database.ts'
import { hasWal } from '../database/has-wal.ts'
import type { Day } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { Installation } from './installation.ts'

/** A file that has not changed since it was checked has the same of each. */
export interface FileState {
  readonly schemaVersion: number
  readonly bytes: number
  readonly modifiedMs: number
  readonly inode: number
}

export interface KnownDay extends FileState {
  readonly day: Day
  /** It had at least this many. */
  readonly events: number
}

const LIST = `
  SELECT day, events, schema_version AS schemaVersion, bytes, modified_ms AS modifiedMs, inode FROM day_file`

const SAVE_GROWN = 'UPDATE day_file SET events = max(events, ?) WHERE day = ?'
const SAVE_STATE = 'UPDATE day_file SET schema_version = ?, bytes = ?, modified_ms = ?, inode = ? WHERE day = ?'

/** Created and not checked yet: the next start opens it. */
const UNCHECKED: FileState = { schemaVersion: 0, bytes: 0, modifiedMs: 0, inode: 0 }

export class DayManifest {
  readonly installation: Installation
  readonly #control: Database
  /** Events of days that have grown, to be written with the next flush. */
  readonly #grown = new Map<Day, number>()
  /** Files as they were when they were opened for writing. */
  readonly #opened = new Map<Day, { readonly path: string; readonly state: FileState }>()

  constructor(control: Database) {
    this.#control = control
    this.installation = new Installation(control)
  }

  list(): ReadonlyMap<Day, KnownDay> {
    type Columns = { [Key in keyof KnownDay]: KnownDay[Key] }
    return new Map(this.#control.all<Columns>(LIST).map((known) => [known.day, known]))
  }

  has(day: Day): boolean {
    return this.#control.get('SELECT 1 FROM day_file WHERE day = ?', day) !== undefined
  }

  /** Whether retention has removed the day, or is about to. */
  isFolded(day: Day): boolean {
    return this.#control.get('SELECT 1 FROM folded_day WHERE day = ?', day) !== undefined
  }

  /** After the file is in its place: a crash before this leaves a file without events, which is taken over. */
  add(day: Day): void {
    this.set({ day, events: 0, ...UNCHECKED })
  }

  set({ day, events, schemaVersion, bytes, modifiedMs, inode }: KnownDay): void {
    const sql = 'INSERT OR REPLACE INTO day_file VALUES (?, ?, ?, ?, ?, ?)'
    this.#control.run(sql, day, events, schemaVersion, bytes, modifiedMs, inode)
  }

  /** In the transaction that records the day's removal. */
  remove(day: Day): void {
    this.#control.run('DELETE FROM day_file WHERE day = ?', day)
  }

  /** The file that is written from now on: as long as it is the same one, there is no need to check it again. */
  open(day: Day, path: string, schemaVersion: number): void {
    const state = readFileState(path, schemaVersion)
    if (state) this.#opened.set(day, { path, state })
  }

  /** In memory only: writing it with every commit would double the cost of small ones. */
  learn(commits: readonly DayCommit[]): void {
    for (const { day, arrival } of commits) this.#grown.set(day, arrival)
  }

  flush(): void {
    if (this.#grown.size === 0) return
    this.#control.transaction(() => {
      for (const [day, events] of this.#grown) {
        this.#control.run(SAVE_GROWN, events, day)
        const state = this.#findSettled(day)
        if (!state) continue
        this.#control.run(SAVE_STATE, state.schemaVersion, state.bytes, state.modifiedMs, state.inode, day)
      }
    })
    this.#grown.clear()
  }

  /** Undefined while commits are not in the file itself, and if another file has taken its place. */
  #findSettled(day: Day): FileState | undefined {
    const opened = this.#opened.get(day)
    const state = opened && readFileState(opened.path, opened.state.schemaVersion)
    return state?.inode === opened?.state.inode && opened && !hasWal(opened.path) ? state : undefined
  }
}

/** Undefined if there is no file. */
export function readFileState(path: string, schemaVersion: number): FileState | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { schemaVersion, bytes: found.size, modifiedMs: found.mtimeMs, inode: found.ino }
}

export function isSameFile(a: FileState, b: FileState): boolean {
  return (
    a.schemaVersion === b.schemaVersion && a.bytes === b.bytes && a.modifiedMs === b.modifiedMs && a.inode === b.inode
  )
}
