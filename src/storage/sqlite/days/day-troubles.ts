/**
 * Days that are set aside: neither read nor written, until they are restored, repaired or accepted. Every thread asks the table
 * itself, so that a day set aside by one is set aside for all; it is nearly always empty.
 */
import type { DayTrouble, TroubleKind } from '../../storage.ts'
import type { Database } from '../database/database.ts'
import type { Day } from './day.ts'

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

  /** `control`: control.db. Only the writing thread, and whoever opens the folder, notes and clears. */
  constructor(control: Database) {
    this.#control = control
  }

  /** Newest day first. */
  list(): readonly DayTrouble[] {
    return this.#control.all<TroubleRow>(`SELECT ${COLUMNS} FROM day_trouble ORDER BY day DESC`)
  }

  find(day: Day): DayTrouble | undefined {
    return this.#control.get<TroubleRow>(`SELECT ${COLUMNS} FROM day_trouble WHERE day = ?`, day)
  }

  /** Readers that have the day open close it when they next drop removed days. */
  note({ day, kind, sinceMs, detail }: DayTrouble): void {
    this.#control.run(NOTE, day, kind, sinceMs, detail)
  }

  clear(day: Day): void {
    this.#control.run('DELETE FROM day_trouble WHERE day = ?', day)
  }
}
