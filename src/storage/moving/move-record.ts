/** What a move has done so far, in the PostgreSQL that it moves to: a move that was interrupted continues there. */
import { AppError } from '../../lib/app-error.ts'
import type { Statements } from '../postgres/database/postgres.ts'
import type { Day } from '../sqlite/days/day.ts'

type MoveRow = { installation: string; finished_at_ms: number | null }

export class MoveRecord {
  readonly #db: Statements
  readonly #noted = new Set<string>()

  constructor(db: Statements) {
    this.#db = db
  }

  /** How far a move of this installation is, and when it was finished. Throws AppError `conflict` for another one. */
  async findState(installation: string): Promise<'none' | 'begun' | { readonly finishedAtMs: number }> {
    const row = await this.#db.get<MoveRow>('SELECT installation, finished_at_ms FROM move')
    if (!row) return 'none'
    if (row.installation !== installation) {
      throw new AppError(
        'conflict',
        'This PostgreSQL database is the target of a move of another installation. Use an empty database.',
      )
    }
    return row.finished_at_ms === null ? 'begun' : { finishedAtMs: row.finished_at_ms }
  }

  async begin(installation: string, nowMs: number): Promise<void> {
    await this.#db.run('INSERT INTO move (installation, started_at_ms) VALUES ($1, $2)', installation, nowMs)
  }

  async finish(nowMs: number): Promise<void> {
    await this.#db.run('DELETE FROM moved_removal')
    await this.#db.run('UPDATE move SET finished_at_ms = $1', nowMs)
  }

  /** What was compared differs: the next run makes the removals again. */
  async beginRemovalsAgain(): Promise<void> {
    await this.#db.run('UPDATE moved_removal SET is_redone = false')
  }

  /** Arrival numbers by day. */
  async listDays(): Promise<Map<Day, number>> {
    const rows = await this.#db.all<{ day: Day; arrival: number }>('SELECT day, arrival FROM moved_day')
    return new Map(rows.map(({ day, arrival }) => [day, arrival]))
  }

  async noteDay(day: Day, arrival: number): Promise<void> {
    await this.#db.run(
      'INSERT INTO moved_day (day, arrival) VALUES ($1, $2) ON CONFLICT (day) DO UPDATE SET arrival = excluded.arrival',
      day,
      arrival,
    )
  }

  /** A removal that is not finished in the old storage: when it is, nobody knows the address any more. */
  async noteRemoval(id: string, address: string): Promise<void> {
    if (this.#noted.has(id)) return
    await this.#db.run('INSERT INTO moved_removal VALUES ($1, $2, false) ON CONFLICT DO NOTHING', id, address)
    this.#noted.add(id)
  }

  async findRemoval(id: string): Promise<{ address: string | null; isRedone: boolean } | undefined> {
    return this.#db.get('SELECT address, is_redone AS "isRedone" FROM moved_removal WHERE id = $1', id)
  }

  async noteRedone(id: string, address: string | undefined): Promise<void> {
    await this.#db.run(
      'INSERT INTO moved_removal VALUES ($1, $2, true) ON CONFLICT (id) DO UPDATE SET address = $2, is_redone = true',
      id,
      address ?? null,
    )
  }
}
