/**
 * npm run bench: compares Envelog with PostgreSQL on the same mail, as a table or as JSON, and plots how both grow. The exit
 * code is 0 if every row was measured, met or not; 1 after an error, such as two different answers or a wrong option.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { compareEngines } from './engines/compare-engines.ts'
import { toEnginesTable } from './engines/engines-table.ts'
import { type BenchOptions, parseOptions, USAGE } from './options.ts'
import { drawGrowth } from './report/plot.ts'
import { say } from './report/progress.ts'
import { toTable } from './report/table.ts'
import { type BenchResult, runBench } from './run.ts'

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
  if (options?.engine === 'clickhouse') {
    const result = await compareEngines(options, resources)
    process.stdout.write(options.isJson ? `${JSON.stringify(result)}\n` : `\n${toEnginesTable(result)}`)
  } else if (options) report(options, await runBench(options, resources))
} catch (error) {
  // Errors after a signal are caused by it.
  if (!isInterrupted) process.stderr.write(`bench: ${inspect(error)}\n`)
  process.exitCode = 1
} finally {
  if (!isInterrupted) await resources.disposeAsync()
}

/** Undefined if there is nothing to measure. */
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
  // Only complete results are saved.
  if (!options.isComplete) return
  mkdirSync(options.resultsDir, { recursive: true })
  const name = options.isDirect ? 'direct' : 'rows'
  writeFileSync(join(options.resultsDir, `${name}-${result.events}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  writeFileSync(join(options.resultsDir, `growth-${result.events}.svg`), drawGrowth(result.curve))
}
