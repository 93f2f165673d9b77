/** The storage engine of the app fixture: SQLite, unless a test file that runs other suites on another engine says so before. */
import { openSqliteStorage, type SqliteStorageOptions } from '../../../src/storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'

type FixtureStorageOptions = Pick<SqliteStorageOptions, 'dataDir' | 'clock' | 'serviceMessageIdField'>
type OpenFixtureStorage = (options: FixtureStorageOptions) => Promise<Storage>

/** Runs of a property on an engine that takes tens of milliseconds for what SQLite does in one. */
const RUNS_MAX = 30

let open: OpenFixtureStorage = openSqliteStorage

/** For all fixtures of this process that are opened from now on. */
export function setFixtureEngine(opener: OpenFixtureStorage): void {
  open = opener
}

export function openFixtureStorage(options: FixtureStorageOptions): Promise<Storage> {
  return open(options)
}

/** How often to try a property. */
export function runsOf(numRuns: number): number {
  return open === openSqliteStorage ? numRuns : Math.min(numRuns, RUNS_MAX)
}

/** Of a search, for tests that expect a whole answer: on a busy machine a cluster needs more than the default for it. */
export function queryBudgetMs(): number {
  return open === openSqliteStorage ? 1000 : 60_000
}
