/** The identity of the installation, and which domain a number means, as control.db has them. */
import type { Database } from '../database/database.ts'

const RAISE = "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'domain' AND seq < ?1"
const BEGIN = `
  INSERT INTO sqlite_sequence (name, seq)
  SELECT 'domain', ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'domain')`

export class Installation {
  readonly #control: Database

  constructor(control: Database) {
    this.#control = control
  }

  get id(): string {
    return this.#control.get<{ id: string }>('SELECT id FROM installation')?.id ?? ''
  }

  /** Whether the days of earlier versions, which carry no identity, have been taken over. */
  get isComplete(): boolean {
    return this.#control.number('SELECT is_complete FROM installation') === 1
  }

  /** The highest number that was ever handed out. */
  get highestNumber(): number {
    return this.#control.number("SELECT seq FROM sqlite_sequence WHERE name = 'domain'")
  }

  findDomain(number: number): { readonly id: string; readonly name: string } | undefined {
    return this.#control.get<{ id: string; name: string }>('SELECT id, name FROM domain WHERE number = ?', number)
  }

  /** New domains get higher numbers than this one. */
  reserve(number: number): void {
    if (number <= this.highestNumber) return
    this.#control.run(BEGIN, number)
    this.#control.run(RAISE, number)
  }

  complete(): void {
    if (!this.isComplete) this.#control.run('UPDATE installation SET is_complete = 1')
  }

  /** Takes over the identity of the events, for a control.db from before it had one. */
  become(id: string): void {
    this.#control.run('UPDATE installation SET id = ?', id)
  }
}
