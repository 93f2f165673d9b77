/**
 * Days that are set aside: neither read nor written, until they are restored, repaired or accepted. Every thread asks the table
 * itself, so that a day set aside by one is set aside for all; it is nearly always empty. Unreadable days are not in the table: the
 * next start checks again what the disk returns. The serving and the writing thread each have them in memory.
 */
import type { DayTrouble, TroubleKind } from '../../storage.ts'
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'

const COLUMNS = 'day, kind, since_ms AS sinceMs, detail'

/** A trouble that lasts keeps the time at which it was first seen. */
const NOTE = `
  INSERT INTO day_trouble (day, kind, since_ms, detail) VALUES (?, ?, ?, ?)
  ON CONFLICT (day) DO UPDATE SET
    since_ms = CASE WHEN kind = excluded.kind THEN since_ms ELSE excluded.since_ms END,
    kind = excluded.kind, detail = excluded.detail`

type TroubleRow = { day: Day; kind: TroubleKind; sinceMs: number; detail: string }

export class DayTroubles {
  readonly #control: Database
  readonly #unreadable = new Map<Day, DayTrouble>()

  /** `control`: control.db. Only the writing thread, and the thread that opens the folder, write to it. */
  constructor(control: Database) {
    this.#control = control
  }

  /** Newest day first. */
  list(): readonly DayTrouble[] {
    const noted = this.#control.all<TroubleRow>(`SELECT ${COLUMNS} FROM day_trouble ORDER BY day DESC`)
    if (this.#unreadable.size === 0) return noted
    // What is known to be wrong with the file comes first.
    const days = new Set(noted.map(({ day }) => day))
    const unreadable = [...this.#unreadable.values()].filter(({ day }) => !days.has(day))
    return [...noted, ...unreadable].sort((a, b) => (a.day < b.day ? 1 : -1))
  }

  find(day: Day): DayTrouble | undefined {
    const noted = this.#control.get<TroubleRow>(`SELECT ${COLUMNS} FROM day_trouble WHERE day = ?`, day)
    return noted ?? this.#unreadable.get(day)
  }

  /** Readers that have the day open close it when they next drop removed days. */
  note(trouble: DayTrouble): void {
    const { day, kind, sinceMs, detail } = trouble
    // In memory only: the disk may not return the table either.
    if (kind === 'unreadable') return void this.#unreadable.set(day, this.#unreadable.get(day) ?? trouble)
    this.#control.run(NOTE, day, kind, sinceMs, detail)
    this.#unreadable.delete(day)
  }

  clear(day: Day): void {
    this.#control.run('DELETE FROM day_trouble WHERE day = ?', day)
    this.#unreadable.delete(day)
  }

  /** In this thread: another one has cleared it, or noted what is wrong with the file. */
  forgetUnreadable(day: Day): void {
    this.#unreadable.delete(day)
  }
}
