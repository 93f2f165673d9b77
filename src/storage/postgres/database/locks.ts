/** Numbers of PostgreSQL's advisory locks, in one list: every number means one thing in the whole database. */
export const LOCKS = {
  /** Held while the schema is migrated. */
  migration: 4_917_001,
  /** Held until the commit by what adds to the quarantine or removes from it: its sums are exact, and its ids become visible in order. */
  quarantine: 4_917_002,
  /** The same for the audit log. */
  audit: 4_917_003,
  /** Held while the generations of the secret are replaced. */
  secrets: 4_917_004,
  /** The first of two numbers, the second is the shard: held by the server that decides about its events. */
  shard: 4_917_005,
  /** Held while the numbers of events are made to continue after those that are stored. */
  numbers: 4_917_006,
  /** Held while an installation is moved into the database. */
  move: 4_917_007,
} as const
