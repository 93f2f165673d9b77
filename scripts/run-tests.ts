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
import { installServers, type MissingServer } from './servers.ts'

const ROOT = join(import.meta.dirname, '..')
const isQuick = process.argv.includes('--quick')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const TEST_TIMEOUT_MS = 400_000
/** Longer than the timeout of a test. */
const SILENCE_MS = 540_000

/** Packages of servers and programs that npm does not install, by test file. */
const SUITE_SERVERS: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/bench.test.ts': ['postgresql'],
  'test/e2e/connector-exim.test.ts': ['openssl', 'exim4-daemon-light'],
  'test/e2e/connector-haraka.test.ts': ['openssl'],
  'test/e2e/connector-kumomta-policy.test.ts': ['lua5.4'],
  'test/e2e/connector-postfix.test.ts': ['openssl', 'postfix'],
  'test/e2e/console.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-pages.test.ts': ['chromium-headless-shell'],
  'test/e2e/console-scale.test.ts': ['chromium-headless-shell'],
  'test/e2e/dns-servers.test.ts': ['nsd', 'unbound'],
  'test/e2e/monitoring.test.ts': ['prometheus'],
  'test/e2e/reports-postfix.test.ts': ['openssl', 'postfix'],
  'test/e2e/service-unit.test.ts': ['systemd'],
  'test/e2e/verification-cases.test.ts': ['nsd'],
  'test/e2e/verification.test.ts': ['nsd'],
  'test/e2e/wrong-clock.test.ts': ['faketime'],
  'test/faults/faults.test.ts': ['gcc', 'libc6-dev'],
}

const patterns = [
  'src/**/*.test.ts',
  'console/src/**/*.test.ts',
  'bench/**/*.test.ts',
  isQuick ? 'test/*.test.ts' : 'test/**/*.test.ts',
]
const all = named.length > 0 ? named : globSync(patterns, { cwd: ROOT }).sort()
const missing = installServers([...new Set(all.flatMap((file) => SUITE_SERVERS[file] ?? []))])
const leftOut = all.filter((file) => SUITE_SERVERS[file]?.some((server) => missing.some(({ name }) => name === server)))
const files = all.filter((file) => !leftOut.includes(file))
// Build it once, instead of in every server that the tests start.
if (!isQuick) spawnSync(process.execPath, [join(ROOT, 'scripts/build-console.ts')], { stdio: 'inherit' })

let passed = 0
let failed = 0
const watchdog = setTimeout(giveUp, SILENCE_MS)
const unfinished = new Set(files.map((file) => join(ROOT, file)))
const tests = run({
  cwd: ROOT,
  files: [...unfinished],
  concurrency: 2,
  timeout: TEST_TIMEOUT_MS,
  execArgv: ['--import', join(ROOT, 'test/harness/end-of-file.ts')],
})
tests.on('test:complete', ({ name, nesting }) => {
  if (nesting === 0) unfinished.delete(name)
  watchdog.refresh()
})
tests.on('test:pass', (event) => {
  if (event.details.type !== 'suite') passed++
})
tests.on('test:fail', (event) => {
  if (event.details.type !== 'suite') failed++
})
tests.on('end', () => report(missing))
tests.compose(spec).pipe(process.stdout)

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
  const isIncomplete = leftOut.length > 0 && process.env['CI'] !== undefined
  clearTimeout(watchdog)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 || passed === 0 || isIncomplete ? 1 : 0
}
