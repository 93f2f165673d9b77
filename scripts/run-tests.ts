/**
 * Runs the tests and prints the counts at the end. `--quick` leaves out the tests under test/ that start programs.
 *
 * SUITE_SERVERS lists the suites that need a server from the system's packages. Missing packages are installed if this runs
 * as root on Debian; otherwise the suite is left out and reported, which counts as a failure if CI is set.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { shareCluster } from '../test/harness/storage/clickhouse/cluster.ts'
import { installServers, type MissingServer } from './servers.ts'

const ROOT = join(import.meta.dirname, '..')
const isQuick = process.argv.includes('--quick')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const TEST_TIMEOUT_MS = 400_000
/** Longer than the longest timeout of a test. */
const SILENCE_MS = 1_000_000

/** Two run at a time, so the whole takes at least half of their sum. */
const SLOWEST_SHOWN = 30

const CLICKHOUSE = ['clickhouse-server', 'zookeeper', 'postgresql']

/** Packages of servers and programs that npm does not install, by test file. */
const SUITE_SERVERS: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/bench.test.ts': ['postgresql'],
  'src/storage/moving/move-storage.test.ts': ['postgresql'],
  'src/storage/clickhouse/arrivals/arrival-reader.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/clickhouse-event-log.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/erasing/absent-replica.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/erasing/eraser.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/migrate-schemas.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/reads.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/schema/schema.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/server/connect-clickhouse.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/upkeep/remove-before.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/writing/event-writer.test.ts': CLICKHOUSE,
  'src/storage/clickhouse/writing/killing.test.ts': CLICKHOUSE,
  'src/storage/postgres/batches/batch-store.test.ts': ['postgresql'],
  'src/storage/postgres/control/postgres-control.test.ts': ['postgresql'],
  'src/storage/postgres/database/notices.test.ts': ['postgresql'],
  'test/e2e/cluster/killing.test.ts': [...CLICKHOUSE, 'iproute2'],
  'test/e2e/cluster/three-replicas.test.ts': CLICKHOUSE,
  'test/e2e/connector-exim.test.ts': ['openssl', 'exim4-daemon-light'],
  'test/e2e/connector-haraka.test.ts': ['openssl'],
  'test/e2e/connector-kumomta-policy.test.ts': ['lua5.4'],
  'test/e2e/connector-postfix.test.ts': ['openssl', 'postfix'],
  'test/e2e/connector-postfix-instances.test.ts': ['openssl', 'postfix'],
  'test/e2e/console.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-log.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-pages.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-many.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-scale.test.ts': ['chromium-headless-shell'],
  'test/e2e/deploy-scale.test.ts': ['python3-yaml'],
  'test/e2e/dns-servers.test.ts': ['nsd', 'unbound'],
  'test/e2e/examples.test.ts': ['curl', 'python3'],
  'test/e2e/guide.test.ts': ['chromium-headless-shell'],
  'test/e2e/migrate-storage.test.ts': CLICKHOUSE,
  'test/e2e/monitoring.test.ts': ['prometheus'],
  'test/e2e/packaging.test.ts': ['python3-yaml'],
  'test/e2e/reports-postfix.test.ts': ['openssl', 'postfix'],
  'test/e2e/service-unit.test.ts': ['systemd'],
  'test/e2e/several-servers.test.ts': [...CLICKHOUSE, 'chromium-headless-shell'],
  'test/e2e/socket-activation.test.ts': ['systemd'],
  'test/e2e/verification-cases.test.ts': ['nsd'],
  'test/e2e/verification.test.ts': ['nsd'],
  'test/e2e/workflows.test.ts': ['python3-yaml'],
  'test/e2e/wrong-clock.test.ts': ['faketime'],
  'test/engines/http-on-clickhouse.test.ts': CLICKHOUSE,
  'test/faults/faults.test.ts': ['gcc', 'libc6-dev'],
}

const patterns = [
  'src/**/*.test.ts',
  'console/src/**/*.test.ts',
  'bench/**/*.test.ts',
  'clients/**/*.test.ts',
  isQuick ? 'test/*.test.ts' : 'test/**/*.test.ts',
]
const all = named.length > 0 ? named : globSync(patterns, { cwd: ROOT }).sort()
const missing = installServers([...new Set(all.flatMap((file) => SUITE_SERVERS[file] ?? []))])
const leftOut = all.filter((file) => SUITE_SERVERS[file]?.some((server) => missing.some(({ name }) => name === server)))
const files = all.filter((file) => !leftOut.includes(file))
// Build it once, instead of in every server that the tests start.
if (!isQuick) spawnSync(process.execPath, [join(ROOT, 'scripts/build-console.ts')], { stdio: 'inherit' })
// One for all files that use it: each has databases of its own, and the files that stop members start their own.
const sharesCluster = files.filter((file) => SUITE_SERVERS[file]?.includes('zookeeper')).length > 1
const cluster = sharesCluster ? await shareCluster() : undefined

// Half of the start of a test file goes into compiling the same modules.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/envelog')

let passed = 0
let failed = 0
let clusterAtFailure: Promise<string> | undefined
const watchdog = setTimeout(giveUp, SILENCE_MS)
const unfinished = new Set(files.map((file) => join(ROOT, file)))
const tests = run({
  cwd: ROOT,
  files: [...unfinished],
  concurrency: 2,
  timeout: TEST_TIMEOUT_MS,
  execArgv: ['--import', join(ROOT, 'test/harness/end-of-file.ts')],
})
const tookMs = new Map<string, number>()
tests.on('test:complete', ({ name, nesting, details }) => {
  if (nesting === 0 && unfinished.delete(name)) tookMs.set(relative(ROOT, name), details.duration_ms)
  watchdog.refresh()
})
tests.on('test:pass', (event) => {
  if (event.details.type !== 'suite') passed++
})
tests.on('test:fail', (event) => {
  if (event.details.type === 'suite') return
  failed++
  // While whatever it waited for is still going on.
  clusterAtFailure ??= cluster?.describe()
})
tests.on('end', () => void finish())
tests.compose(spec).pipe(process.stdout)

async function finish(): Promise<void> {
  if (clusterAtFailure) {
    process.stdout.write(`\nthe shared ClickHouse cluster at the first failure:\n${await clusterAtFailure}\n`)
  }
  report(missing)
  await cluster?.[Symbol.asyncDispose]()
}

/** Test files that no timeout can end are reported, killed and counted as a failure. */
function giveUp(): void {
  const stuck = [...unfinished].map((file) => relative(ROOT, file))
  process.stdout.write(
    `\nno test has finished for ${SILENCE_MS / 60_000} minutes; still running: ${stuck.join(', ')}\n`,
  )
  failed += 1
  report(missing)
  spawnSync('pkill', ['-KILL', '-P', `${process.pid}`])
  process.exit(1)
}

function report(missingServers: readonly MissingServer[]): void {
  for (const { name, reason } of missingServers) process.stdout.write(`\n${name} is missing (${reason})\n`)
  for (const file of leftOut) process.stdout.write(`left out: ${file}\n`)
  const slowest = [...tookMs].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_SHOWN)
  process.stdout.write('\nthe slowest files, in seconds:\n')
  for (const [file, ms] of slowest) process.stdout.write(`${Math.round(ms / 1000)} ${file}\n`)
  const isIncomplete = leftOut.length > 0 && process.env['CI'] !== undefined
  clearTimeout(watchdog)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 || passed === 0 || isIncomplete ? 1 : 0
}
