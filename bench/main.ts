/**
 * npm run bench: Envelog against PostgreSQL on the same mail, as a table or as JSON, and a plot of how both grow.
 * Ends with 0 when every row was measured, met or not; with 1 when something failed, two different answers or a wrong option
 * included.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchOptions, parseOptions, USAGE } from './options.ts'
import { drawGrowth } from './plot.ts'
import { say } from './progress.ts'
import { ROW_NAMES } from './row.ts'
import { type BenchResult, runBench } from './run.ts'
import { toTable } from './table.ts'

const resources = new AsyncDisposableStack()
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    say('stopping')
    void resources.disposeAsync().finally(() => process.exit(130))
  })
}

const options = readOptions()
try {
  if (options) report(options, await runBench(options, resources))
} catch (error) {
  // What breaks after a signal broke because of it.
  if (!isInterrupted) process.stderr.write(`bench: ${describe(error)}\n`)
  process.exitCode = 1
} finally {
  if (!isInterrupted) await resources.disposeAsync()
}

/** Undefined where nothing is to be measured. */
function readOptions(): BenchOptions | undefined {
  try {
    const wanted = parseOptions(process.argv.slice(2))
    if (!wanted) process.stdout.write(USAGE)
    return wanted
  } catch (error) {
    process.stderr.write(
      `bench: ${error instanceof Error ? error.message : String(error)}\n(npm run bench -- --help)\n`,
    )
    process.exitCode = 1
    return undefined
  }
}

function report(options: BenchOptions, result: BenchResult): void {
  process.stdout.write(options.isJson ? `${JSON.stringify(result)}\n` : `\n${toTable(result.rows)}`)
  // A part of the rows is no result to keep.
  if (options.only.size < ROW_NAMES.length) return
  mkdirSync(options.resultsDir, { recursive: true })
  writeFileSync(join(options.resultsDir, `rows-${result.events}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  writeFileSync(join(options.resultsDir, `growth-${result.events}.svg`), drawGrowth(result.curve))
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined
    ? (error.stack ?? error.message)
    : `${error.stack}\ncaused by ${describe(error.cause)}`
}
