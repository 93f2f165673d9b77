/** What a day's file says about itself: its installation, its day, and which domain each number means. */
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { Installation } from './installation.ts'

export interface DayIdentity {
  readonly installation: string
  readonly day: Day
}

export interface DomainClaim {
  readonly number: number
  readonly id: string
  readonly name: string
}

const CLAIM = 'INSERT INTO domain_claim (number, id, name) VALUES (?, ?, ?) ON CONFLICT (number) DO NOTHING'

/** Enough for the domains of a busy day; forgetting some costs a look-up each. */
const KNOWN_MAX = 100_000

/** Written with the first event of each domain. */
export class DomainClaims {
  readonly #db: Pick<Database, 'run'>
  readonly #installation: Pick<Installation, 'findDomain' | 'reserve'>
  readonly #known = new Set<number>()

  constructor(db: Pick<Database, 'run'>, installation: Pick<Installation, 'findDomain' | 'reserve'>) {
    this.#db = db
    this.#installation = installation
  }

  /** Inside the transaction that stores the event. */
  note(number: number): void {
    if (this.#known.has(number)) return
    const { id, name } = this.#installation.findDomain(number) ?? { id: '', name: '' }
    // Removed since the event was accepted, or never there: the number must not come to mean another domain.
    if (id === '') this.#installation.reserve(number)
    this.#db.run(CLAIM, number, id, name)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.add(number)
  }

  /** After a rollback. */
  forget(): void {
    this.#known.clear()
  }
}

export function listClaims(db: Database): readonly DomainClaim[] {
  return db.all<{ number: number; id: string; name: string }>('SELECT number, id, name FROM domain_claim')
}

/** Undefined in a file of an earlier version. */
export function findIdentity(db: Database): DayIdentity | undefined {
  return db.get<{ installation: string; day: Day }>('SELECT installation, day FROM identity')
}

/** What is missing of it, with a claim for each domain that has events already. */
export function writeIdentity(db: Database, day: Day, installation: Installation): void {
  const claims = new DomainClaims(db, installation)
  db.transaction(() => {
    for (const [number] of db.allArrays<[number]>('SELECT DISTINCT domain FROM counter')) claims.note(number)
    if (!findIdentity(db)) db.run('INSERT INTO identity (installation, day) VALUES (?, ?)', installation.id, day)
  })
}
