/** The result of a comparison of engines, and how it is printed. */
import type { Machine } from '../report/machine.ts'

export interface EngineRow {
  readonly name: string
  readonly unit: 'events/s' | 'µs/event' | 'ms' | 'bytes/event'
  readonly clickhouse: number
  /** Absent where only the other engine has such a thing. */
  readonly embedded?: number
}

export interface EnginesResult {
  /** Including those of the warm-up. */
  readonly events: number
  readonly seed: number
  readonly machine: Machine
  /** Envelog servers on the cluster. */
  readonly servers: number
  readonly databases: string
  readonly rows: readonly EngineRow[]
}

/** With fewer, a day of a shard has so few events that the bytes around them count. */
const SMALL_BELOW = 100_000

export function toEnginesTable({ rows, databases, servers, events, machine }: EnginesResult): string {
  const lines = rows.map(({ name, unit, clickhouse, embedded }) =>
    [
      name.padEnd(32),
      format(clickhouse).padStart(12),
      (embedded === undefined ? '' : format(embedded)).padStart(12),
      `  ${unit}`,
    ].join(''),
  )
  const { processors, memoryGb, kernel, node } = machine
  const head = [
    `${events.toLocaleString('en-US')} events; ${servers} Envelog server${servers === 1 ? '' : 's'}; ${databases}; Node ${node}`,
    `${processors}, ${memoryGb} GB, Linux ${kernel}; servers, databases and load share it`,
    ...(events < SMALL_BELOW ? ['A small log: its bytes per event are not those of a large one.'] : []),
    '',
    `${''.padEnd(32)}${'ClickHouse'.padStart(12)}${'embedded'.padStart(12)}`,
  ]
  return `${[...head, ...lines].join('\n')}\n`
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2)
}
