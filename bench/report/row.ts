/** The rows of the table: what each one compares, its target, and whether it is met. */

interface RowSpec {
  readonly unit: 'events/s' | 'requests/s' | 'ms' | 'bytes/event' | 'MB'
  /** What the figure is compared with, for the table. */
  readonly against: string
  /** `speedup` divides the peer's time by ours, `share` our figure by the other; `limit` has no other figure. */
  readonly ratio: 'share' | 'speedup' | 'limit'
  readonly target: string
  /** Both sides are asked in the second step. */
  readonly isAsked?: true
}

const QUERY = { unit: 'ms', against: 'PostgreSQL, p50', ratio: 'speedup', isAsked: true } as const
const MANY = { ...QUERY, target: '>= 1' } as const
const ONE = { unit: 'ms', against: '/webhooks, p50', ratio: 'share', target: '<= 1.2', isAsked: true } as const
const DAYS = { unit: 'ms', against: '15 days, processor', ratio: 'share', target: '<= 2' } as const
const DAYS_START = { unit: 'ms', against: '15 days', ratio: 'share', target: '<= 2' } as const
const DAYS_MEMORY = { unit: 'MB', against: '15 days', ratio: 'share', target: '<= 1.5' } as const
const PARSER = { unit: 'events/s', against: 'ingest', ratio: 'share', target: '>= 2' } as const

/** The same question about one domain to `/v1/events` and to `/webhooks`. */
const ONE_DOMAIN = {
  v1_one_newest: ONE,
  v1_one_type: ONE,
  v1_one_code: ONE,
  v1_one_message_id: ONE,
  v1_one_deep_page: ONE,
  v1_one_recipient_exact: ONE,
  v1_one_type_and_substring: ONE,
} as const

export const ONE_DOMAIN_ROWS = Object.keys(ONE_DOMAIN) as readonly (keyof typeof ONE_DOMAIN)[]

/** The same questions with many days of history and with few. */
const MANY_DAYS = {
  days_400_newest: DAYS,
  days_400_stats: DAYS,
  days_400_series: DAYS,
  days_400_unknown_id: DAYS,
  days_400_start: DAYS_START,
  days_400_memory: DAYS_MEMORY,
  days_3650_newest: DAYS,
  days_3650_stats: DAYS,
  days_3650_series: DAYS,
  days_3650_unknown_id: DAYS,
  days_3650_start: DAYS_START,
  days_3650_memory: DAYS_MEMORY,
} as const

export const DAYS_ROWS = Object.keys(MANY_DAYS) as readonly (keyof typeof MANY_DAYS)[]

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
  short_needle: { unit: 'ms', against: 'work budget, p99', ratio: 'share', target: 'holds', isAsked: true },
  stats: { ...QUERY, target: '>= 3' },
  ...ONE_DOMAIN,
  v1_newest: MANY,
  v1_type: MANY,
  v1_types: MANY,
  v1_code_class: MANY,
  v1_provider: MANY,
  v1_classification: MANY,
  v1_text: MANY,
  v1_common_text: MANY,
  v1_message_id: MANY,
  v1_deep_page: MANY,
  v1_series: MANY,
  v1_40_newest: MANY,
  v1_40_type: MANY,
  v1_40_code_class: MANY,
  v1_40_text: MANY,
  v1_40_series: MANY,
  disk: { unit: 'bytes/event', against: 'PostgreSQL', ratio: 'share', target: '<= 1/3.5' },
  growth_read: { unit: 'ms', against: 'p50 at a twentieth', ratio: 'share', target: '<= 1.3' },
  growth_ingest: { unit: 'events/s', against: 'first tenth', ratio: 'share', target: '>= 0.85' },
  memory: { unit: 'MB', against: '', ratio: 'limit', target: '<= 350 MB' },
  start: { unit: 'ms', against: 'empty data folder', ratio: 'share', target: '<= 1.5' },
  mixed: { unit: 'ms', against: 'p99 without ingest', ratio: 'share', target: '<= 3' },
  fair: { unit: 'ms', against: 'p99 without the neighbour', ratio: 'share', target: '<= 3' },
  cores: { unit: 'requests/s', against: 'one reading thread', ratio: 'share', target: 'grows' },
  handover: { unit: 'ms', against: 'without reading threads', ratio: 'share', target: 'at most 0.1 ms more' },
  ...MANY_DAYS,
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
  /** The figure that ours is compared with; null where the target is a plain limit. */
  readonly peer: number | null
  readonly ratio: number | null
  readonly target: string
  readonly met: boolean
}

/** `holds` is for conditions that a ratio cannot express: if it is false, the row is not met. */
export function judge(name: RowName, ours: number, peer: number | null, holds = true): Row {
  const { unit, ratio: kind, target }: RowSpec = ROWS[name]
  const ratio = peer === null ? null : rounded(kind === 'speedup' ? peer / ours : ours / peer)
  // Judged by the rounded figures, which are the ones shown.
  const met = holds && meets(ratio ?? ours, target)
  return { name, unit, ours: rounded(ours), peer: peer === null ? null : rounded(peer), ratio, target, met }
}

function meets(figure: number, target: string): boolean {
  const [, operator, value = '0', divisor = '1'] = /^(>=|<=) ([\d.]+)(?:\/([\d.]+))?/.exec(target) ?? []
  if (operator === undefined) return true
  const bound = Number(value) / Number(divisor)
  return operator === '>=' ? figure >= bound : figure <= bound
}

/** To four significant digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
