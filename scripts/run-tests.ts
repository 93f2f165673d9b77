/**
 * Runs the tests and prints the counts at the end. `--quick` leaves out the tests under test/ that start programs.
 * `--lint` checks the sources (scripts/lint.ts) during the preparations, and runs no test unless they are in order.
 *
 * SUITE_SERVERS lists the suites that need a server from the system's packages. Missing packages are installed if this runs
 * as root on Debian; otherwise the suite is left out and reported, which counts as a failure if CI is set.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { BUNDLE } from '../test/harness/programs/program-files.ts'
import { shareCluster } from '../test/harness/storage/clickhouse/cluster.ts'
import { findMemoryFolder } from './memory-folder.ts'
import { installServers, type MissingServer } from './servers.ts'
import { bundleProgram } from './testing/bundle-program.ts'
import { Failures } from './testing/failures.ts'
import { SUITE_SERVERS } from './testing/suite-servers.ts'
import { groupTests, writeGroups } from './testing/test-groups.ts'
import { LONGEST, longestFirst } from './testing/test-order.ts'

const ROOT = join(import.meta.dirname, '..')
const isQuick = process.argv.includes('--quick')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const TEST_TIMEOUT_MS = 600_000
/** Longer than the longest timeout of a test. */
const SILENCE_MS = 1_000_000

/** Two more than there are processors: many wait for a server, a timer or a disk. */
const CONCURRENCY = availableParallelism() + 2
/** Many of them belong into test-order.ts. */
const SLOWEST_SHOWN = 30

/** The temporary files of all tests need less. */
const MEMORY_BYTES_MIN = 8 * 2 ** 30

const PRELOADED = ['test/harness/thread-start.ts', 'test/harness/end-of-file.ts']

const patterns = [
  'src/**/*.test.ts',
  'console/src/**/*.test.ts',
  'bench/**/*.test.ts',
  'clients/**/*.test.ts',
  isQuick ? 'test/*.test.ts' : 'test/**/*.test.ts',
]
const all = named.length > 0 ? named : globSync(patterns, { cwd: ROOT }).sort()
const lint = process.argv.includes('--lint') ? runScript('lint.ts') : undefined
const missing = installServers([...new Set(all.flatMap((file) => SUITE_SERVERS[file] ?? []))])
const leftOut = all.filter((file) => SUITE_SERVERS[file]?.some((server) => missing.some(({ name }) => name === server)))
const files = longestFirst(all.filter((file) => !leftOut.includes(file)))
const memory = named.length > 0 ? undefined : findMemoryFolder(MEMORY_BYTES_MIN)
if (memory !== undefined) process.env['TMPDIR'] = makeTemporaryFolder(memory)
// They take minutes, and are looked at after the run of a single file.
if (named.length === 0) process.env['ENVELOG_TEST_NO_PICTURES'] = 'true'
// One for all files that use it: each has databases of its own, and the files that stop members start their own.
const usesCluster = (file: string) => SUITE_SERVERS[file]?.includes('zookeeper') === true
const [cluster] = await Promise.all([
  files.filter(usesCluster).length > 1 ? shareCluster() : undefined,
  // Build it once, instead of in every server that the tests start.
  isQuick ? undefined : runScript('build-console.ts'),
  named.length > 0 ? undefined : prepareProgram(),
])
if (lint && (await lint) !== 0) {
  await cluster?.[Symbol.asyncDispose]()
  process.stdout.write('\nno test was run: see above what is wrong with the sources\n')
  process.exit(1)
}

// Half of the start of a test file goes into compiling the same modules.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/envelog')

let passed = 0
const failures = new Failures()
let clusterAtFailure: Promise<string> | undefined
let stopping: PromiseLike<void> | undefined
const watchdog = setTimeout(giveUp, SILENCE_MS)
const unfinished = new Set(files)
// A file that is run on its own has a process of its own.
const { groups, alone } = named.length > 0 ? { groups: [], alone: files } : groupTests(ROOT, files)
const longest = alone.filter((file) => LONGEST.includes(file))
// Those that use the cluster first: it needs a twentieth of a processor even if nobody does.
const [early = [], late = []] = [true, false].map((isEarly) =>
  alone.filter((file) => !LONGEST.includes(file) && usesCluster(file) === isEarly),
)
const tests = run({
  cwd: ROOT,
  files: [
    ...[...longest, ...early].map((file) => join(ROOT, file)),
    ...writeGroups(ROOT, groups, join(ROOT, 'node_modules/.cache/envelog-test-groups')),
    ...late.map((file) => join(ROOT, file)),
  ],
  concurrency: CONCURRENCY,
  timeout: TEST_TIMEOUT_MS,
  execArgv: PRELOADED.flatMap((file) => ['--import', join(ROOT, file)]),
})
const tookMs = new Map<string, number>()
tests.on('test:complete', ({ name, nesting, details }) => {
  // A file with a process of its own is named by its absolute path, and one of a group is a suite.
  const file = relative(ROOT, resolve(ROOT, name))
  if (nesting === 0 && unfinished.delete(file)) {
    tookMs.set(file, details.duration_ms)
    if (usesCluster(file) && ![...unfinished].some(usesCluster)) stopCluster()?.then(undefined, () => undefined)
  }
  watchdog.refresh()
})
tests.on('test:pass', (event) => {
  if (event.details.type !== 'suite') passed++
})
tests.on('test:fail', (event) => {
  // A suite also fails if its file cannot be loaded, or by a hook: then none of its tests may have failed.
  const { type, error } = event.details
  if (type === 'suite' && 'failureType' in error && error.failureType === 'subtestsFailed') return
  const file = event.file === undefined ? undefined : relative(ROOT, event.file)
  failures.add(file, event.name, error)
  // While whatever it waited for is still going on.
  if (!stopping && file !== undefined && usesCluster(file)) clusterAtFailure ??= cluster?.describe()
})
tests.on('end', () => void finish())
tests.compose(spec).pipe(process.stdout)

/** Resolves with the exit code, or null if a signal ended it. */
function runScript(name: string): Promise<number | null> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', name)], { stdio: 'inherit' })
  return new Promise((done, fail) => child.once('error', fail).once('close', done))
}

async function prepareProgram(): Promise<void> {
  const program = makeTemporaryFolder(tmpdir())
  await bundleProgram(program)
  process.env[BUNDLE] = program
}

/** As open as /tmp: some servers run as users of their own. */
function makeTemporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'envelog-tests-'))
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function finish(): Promise<void> {
  if (clusterAtFailure) {
    process.stdout.write(`\nthe shared ClickHouse cluster at the first failure:\n${await clusterAtFailure}\n`)
  }
  report(missing)
  await stopCluster()
}

/** As soon as nobody needs it. */
function stopCluster(): PromiseLike<void> | undefined {
  stopping ??= cluster?.[Symbol.asyncDispose]()
  return stopping
}

/** Test files that no timeout can end are reported, killed and counted as a failure. */
function giveUp(): void {
  const stuck = [...unfinished].join(', ')
  process.stdout.write(`\nno test has finished for ${SILENCE_MS / 60_000} minutes; still running: ${stuck}\n`)
  failures.add(undefined, 'the whole run', `it was stuck in ${stuck}`)
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
  process.stdout.write(failures.write())
  process.stdout.write(`\n${passed} passed, ${failures.count} failed\n`)
  process.exitCode = failures.count > 0 || passed === 0 || isIncomplete ? 1 : 0
}
