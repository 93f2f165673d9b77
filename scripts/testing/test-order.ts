/** The order in which test files are started: one that takes long and is started last would run alone at the end. */

/** The slowest, the longest first, by the report at the end of a run. The order of all others makes no difference. */
export const LONGEST: readonly string[] = [
  'test/engines/http-on-clickhouse.test.ts',
  'test/e2e/cluster/killing.test.ts',
  'src/storage/clickhouse/clickhouse-event-log.test.ts',
  'test/faults/faults.test.ts',
  'test/e2e/console-pages.test.ts',
  'test/parser-growth.test.ts',
  'src/storage/clickhouse/upkeep/remove-before.test.ts',
  'test/e2e/bench.test.ts',
  'test/e2e/cluster/changing.test.ts',
  'test/e2e/console-onboarding.test.ts',
  'test/e2e/packaging.test.ts',
  'test/e2e/clickhouse-26-log.test.ts',
  'test/e2e/clickhouse-26.test.ts',
  'test/e2e/cli.test.ts',
  'src/storage/sqlite/search-plans.test.ts',
  'src/storage/clickhouse/migrate-schemas.test.ts',
  'test/e2e/several-servers.test.ts',
  'test/e2e/console.test.ts',
  'src/storage/clickhouse/erasing/eraser.test.ts',
  'test/e2e/serving-thread.test.ts',
  'src/storage/sqlite/damaged-day.test.ts',
  'test/e2e/connector-postfix-instances.test.ts',
  'test/e2e/console-all-tenants.test.ts',
  'test/e2e/console-many.test.ts',
  'test/e2e/console-scale.test.ts',
  'test/e2e/console-log.test.ts',
  'test/e2e/console-build.test.ts',
  'test/e2e/graceful-stop.test.ts',
  'test/e2e/guide.test.ts',
  'test/e2e/secrets.test.ts',
  'test/e2e/export.test.ts',
  'test/e2e/damaged-day.test.ts',
  'src/storage/sqlite/sqlite-event-log.test.ts',
  'src/storage/clickhouse/server/connect-clickhouse.test.ts',
]

/** Those that are listed first, in that order; the others as they are. */
export function longestFirst(files: readonly string[]): readonly string[] {
  const longest = LONGEST.filter((file) => files.includes(file))
  return [...longest, ...files.filter((file) => !longest.includes(file))]
}
