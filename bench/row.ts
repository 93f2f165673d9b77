/** The rows of the table: what each one compares, its target, and whether it is met. */

interface RowSpec {
  readonly unit: 'events/s' | 'requests/s' | 'ms' | 'bytes/event' | 'MB'
  /** What the figure is held against, for the table. */
  readonly against: string
  /** `speedup` is the peer's time through ours; `share` our figure through the other; `limit` has no other figure. */
  readonly ratio: 'share' | 'speedup' | 'limit'
  readonly target: string
}

const QUERY = { unit: 'ms', against: 'PostgreSQL, p50', ratio: 'speedup' } as const
const PARSER = { unit: 'events/s', against: 'ingest', ratio: 'share', target: '>= 2' } as const

export const ROWS = {
  ingest: { unit: 'events/s', against: 'COPY into PostgreSQL', ratio: 'share', target: '>= 5' },
  ingest_single: { unit: 'requests/s', against: 'empty handler', ratio: 'share', target: '>= 0.35' },
  page: { unit: 'requests/s', against: 'same bytes from memory', ratio: 'share', target: '>= 0.5' },
  newest: { ...QUERY, target: '>= 3' },
  type: { ...QUERY, target: '>= 3' },
  sparse_type: { ...QUERY, target: '>= 3' },
  code: { ...QUERY, target: '>= 3' },
  message_id: { ...QUERY, target: '>= 3' },
  deep_page: { ...QUERY, target: '>= 3' },
  recipient_exact: { ...QUERY, target: '>= 2' },
  substring_rare: { ...QUERY, target: '>= 2' },
  substring_common: { ...QUERY, target: '>= 2' },
  type_and_substring: { ...QUERY, target: '>= 2' },
  no_match: { ...QUERY, target: '>= 2' },
  short_needle: { unit: 'ms', against: 'work budget, p99', ratio: 'share', target: 'holds' },
  stats: { ...QUERY, target: '>= 3' },
  disk: { unit: 'bytes/event', against: 'PostgreSQL', ratio: 'share', target: '<= 1/3.5' },
  growth_read: { unit: 'ms', against: 'p50 at a twentieth', ratio: 'share', target: '<= 1.3' },
  growth_ingest: { unit: 'events/s', against: 'first tenth', ratio: 'share', target: '>= 0.85' },
  memory: { unit: 'MB', against: '', ratio: 'limit', target: '<= 350 MB' },
  start: { unit: 'ms', against: 'empty data folder', ratio: 'share', target: '<= 1.5' },
  mixed: { unit: 'ms', against: 'p99 without ingest', ratio: 'share', target: '<= 3' },
  parse_kumomta: PARSER,
  parse_haraka: PARSER,
  parse_maillog: PARSER,
  parse_exim: PARSER,
  parse_postfix: PARSER,
  parse_powermta: PARSER,
  parse_report: PARSER,
} as const satisfies Record<string, RowSpec>

export type RowName = keyof typeof ROWS

export const ROW_NAMES = Object.keys(ROWS) as readonly RowName[]

export interface Row {
  readonly name: RowName
  readonly unit: string
  readonly ours: number
  /** What ours is held against; null where the target is a plain limit. */
  readonly peer: number | null
  readonly ratio: number | null
  readonly target: string
  readonly met: boolean
}

/** `holds` says what no ratio can; where it is given the row is met only if it is true. */
export function judge(name: RowName, ours: number, peer: number | null, holds = true): Row {
  const { unit, ratio: kind, target }: RowSpec = ROWS[name]
  const ratio = peer === null ? null : rounded(kind === 'speedup' ? peer / ours : ours / peer)
  // Judged by what is shown.
  const met = holds && meets(ratio ?? ours, target)
  return { name, unit, ours: rounded(ours), peer: peer === null ? null : rounded(peer), ratio, target, met }
}

function meets(figure: number, target: string): boolean {
  const [, operator, value = '0', divisor = '1'] = /^(>=|<=) ([\d.]+)(?:\/([\d.]+))?/.exec(target) ?? []
  if (operator === undefined) return true
  const bound = Number(value) / Number(divisor)
  return operator === '>=' ? figure >= bound : figure <= bound
}

/** Four digits that mean something. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
