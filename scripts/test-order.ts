/** The order in which test files are started: one that takes long and is started last would run alone at the end. */

/** The slowest, the longest first, by the report at the end of a run. The order of all others makes no difference. */
export const LONGEST: readonly string[] = [
  'test/engines/http-on-clickhouse.test.ts',
  'test/e2e/bench.test.ts',
  'src/storage/clickhouse/clickhouse-event-log.test.ts',
  'test/e2e/cluster/killing.test.ts',
  'test/e2e/cluster/changing.test.ts',
  'test/e2e/console-pages.test.ts',
  'test/e2e/console.test.ts',
  'test/e2e/console-many.test.ts',
  'src/storage/clickhouse/writing/killing.test.ts',
  'src/storage/sqlite/search-plans.test.ts',
  'src/storage/sqlite/sqlite-event-log.test.ts',
  'test/e2e/packaging.test.ts',
  'test/e2e/console-onboarding.test.ts',
  'src/storage/clickhouse/upkeep/remove-before.test.ts',
  'test/e2e/several-servers.test.ts',
  'test/parser-growth.test.ts',
  'test/e2e/cli.test.ts',
  'test/e2e/clickhouse-26.test.ts',
  'test/e2e/guide.test.ts',
]

/** Those that are listed first, in that order; the others as they are. */
export function longestFirst(files: readonly string[]): readonly string[] {
  const longest = LONGEST.filter((file) => files.includes(file))
  return [...longest, ...files.filter((file) => !longest.includes(file))]
}
