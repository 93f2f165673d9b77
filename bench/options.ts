/** The command line of the benchmark. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROW_NAMES, type RowName } from './row.ts'

/** With fewer, some rows would find nothing to ask for. */
const EVENTS_MIN = 10_000

export interface BenchOptions {
  readonly events: number
  readonly seed: number
  /** Connections that load the peer. */
  readonly loaders: number
  readonly isJson: boolean
  readonly isKept: boolean
  readonly only: ReadonlySet<RowName>
  /** Where the plot and the figures go. */
  readonly resultsDir: string
}

export const USAGE = `npm run bench -- [options]

  --events N       events to load into both sides (default 1000000, at least ${EVENTS_MIN})
  --only ROW,ROW   only these rows: ${ROW_NAMES.join(', ')}
  --json           one JSON object on stdout instead of the table
  --loaders N      connections that load PostgreSQL (default 1)
  --seed N         another seed, other mail (default 1)
  --results DIR    where the plot and the figures go (default bench/results)
  --keep           keep the data folders and say where they are
  --help           this text
`

/** Throws with a sentence for the person who typed it. Undefined when help was asked for. */
export function parseOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: 'string', default: '1000000' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      loaders: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      results: { type: 'string', default: join(import.meta.dirname, 'results') },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    events: parseWholeNumber('--events', values.events, EVENTS_MIN),
    seed: parseWholeNumber('--seed', values.seed, 0),
    loaders: parseWholeNumber('--loaders', values.loaders, 1),
    isJson: values.json,
    isKept: values.keep,
    only: new Set(values.only === undefined ? ROW_NAMES : values.only.split(',').map(parseRowName)),
    resultsDir: values.results,
  }
}

function parseWholeNumber(option: string, text: string, min: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new Error(`${option} ${text}: a whole number from ${min} is expected`)
}

function parseRowName(text: string): RowName {
  const name = ROW_NAMES.find((candidate) => candidate === text.trim())
  if (name) return name
  throw new Error(`--only ${text}: there is no such row. Rows: ${ROW_NAMES.join(', ')}`)
}
