/** The command line of the benchmark. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ClusterLayout } from '../test/harness/storage/clickhouse/cluster.ts'
import { DAYS_ROWS, ROW_NAMES, type RowName } from './report/row.ts'

/** With fewer, the questions of some rows would match nothing. */
const EVENTS_MIN = 10_000
const SHORT_BELOW = 100_000

export interface BenchOptions {
  /** `clickhouse`: compare that engine with the embedded one, instead of the embedded one with PostgreSQL. */
  readonly engine: 'embedded' | 'clickhouse'
  /** Of the cluster of `clickhouse`. */
  readonly layout: ClusterLayout
  /** Envelog servers on that cluster. */
  readonly servers: number
  readonly events: number
  /** A small log gets a short run, for trying it out and for tests. */
  readonly isShort: boolean
  readonly seed: number
  /** Connections that load the peer. */
  readonly loaders: number
  readonly isJson: boolean
  readonly isKept: boolean
  /** Ask the store and PostgreSQL in this process, instead of servers over HTTP. */
  readonly isDirect: boolean
  readonly only: ReadonlySet<RowName>
  /** All rows that can be measured were requested. */
  readonly isComplete: boolean
  /** Folder of the plot and the figures. */
  readonly resultsDir: string
}

export const USAGE = `npm run bench -- [options]

  --events N       events to load into both sides (default 1000000, at least ${EVENTS_MIN})
  --only ROW,ROW   only these rows: ${ROW_NAMES.join(', ')};
                   days: all rows whose names begin with days_
  --engine NAME    clickhouse: compare servers on a ClickHouse cluster and PostgreSQL with the embedded
                   engine, on the same mail; other options than --layout, --servers, --events, --seed, --json,
                   --keep do not apply
  --layout SxR     shards and replicas of the cluster (default 2x2)
  --servers N      Envelog servers that share its load (default 1); the embedded engine always has one
  --direct         ask the store and PostgreSQL without HTTP; leaves out the rows v1_...
  --json           one JSON object on stdout instead of the table
  --loaders N      connections that load PostgreSQL (default 1)
  --seed N         seed of the generated mail (default 1)
  --results DIR    folder of the plot and the figures (default bench/results)
  --keep           keep the data folders and print their paths
  --help           this text
`

/** Undefined if help was requested. Throws an error whose message is for the user. */
export function parseOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: 'string', default: '1000000' },
      engine: { type: 'string', default: 'embedded' },
      layout: { type: 'string', default: '2x2' },
      servers: { type: 'string', default: '1' },
      only: { type: 'string' },
      direct: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      loaders: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      results: { type: 'string', default: join(import.meta.dirname, 'results') },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const canBeMeasured = (name: RowName) => !values.direct || !name.startsWith('v1_')
  const events = parseWholeNumber('--events', values.events, EVENTS_MIN)
  if (values.engine !== 'embedded' && values.engine !== 'clickhouse') {
    throw new Error(`--engine ${values.engine}: must be embedded or clickhouse`)
  }
  return {
    engine: values.engine,
    layout: parseLayout(values.layout),
    servers: parseWholeNumber('--servers', values.servers, 1),
    events,
    isShort: events < SHORT_BELOW,
    seed: parseWholeNumber('--seed', values.seed, 0),
    loaders: parseWholeNumber('--loaders', values.loaders, 1),
    isJson: values.json,
    isKept: values.keep,
    isDirect: values.direct,
    isComplete: values.only === undefined,
    only: new Set((values.only?.split(',').flatMap(parseRowNames) ?? ROW_NAMES).filter(canBeMeasured)),
    resultsDir: values.results,
  }
}

function parseWholeNumber(option: string, text: string, min: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new Error(`${option} ${text}: must be a whole number of at least ${min}`)
}

function parseLayout(text: string): ClusterLayout {
  const [, shards, replicas] = /^([1-9])x([1-9])$/.exec(text) ?? []
  if (shards === undefined) throw new Error(`--layout ${text}: must be shards and replicas, such as 2x2`)
  return { shards: Number(shards), replicas: Number(replicas) }
}

function parseRowNames(text: string): readonly RowName[] {
  if (text.trim() === 'days') return DAYS_ROWS
  const name = ROW_NAMES.find((candidate) => candidate === text.trim())
  if (name) return [name]
  throw new Error(`--only ${text}: not a row. Rows: ${ROW_NAMES.join(', ')}`)
}
