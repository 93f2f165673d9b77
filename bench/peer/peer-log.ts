/** The peer's log: questions asked with SQL. */
import type pg from 'pg'
import type { Answer, PreparedQuestion, Question, Side } from '../questions/question.ts'
import { fromColumns } from './peer-event.ts'
import { type PeerPosition, type PeerStatement, toStatement } from './peer-queries.ts'

type PeerRow = readonly (string | null)[]

/** Values stay the texts that they are on the wire: a caller may not need them converted. */
const AS_TEXT = { getTypeParser: () => (value: string) => value }

export class PeerLog implements Side {
  readonly #client: pg.Client
  /** Plans every statement for its values, which is a setting of the connection. */
  readonly #planner: pg.Client
  readonly #ids: ReadonlyMap<string, number>
  readonly #names: ReadonlyMap<string, string>

  constructor(client: pg.Client, planner: pg.Client, domainIds: ReadonlyMap<string, number>) {
    this.#client = client
    this.#planner = planner
    this.#ids = domainIds
    this.#names = new Map([...domainIds].map(([name, id]) => [String(id), name]))
  }

  prepare(question: Question, after?: string): PreparedQuestion<readonly PeerRow[]> {
    const domains = question.kind === 'stats' ? [] : question.domains
    const position = after === undefined ? undefined : (JSON.parse(after) as PeerPosition)
    const statement = toStatement(
      question,
      domains.map((name) => this.#requireId(name)),
      position,
    )
    return { ask: () => this.#ask(statement), read: (rows) => this.#toAnswer(question, rows) }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.end(), this.#planner.end()])
  }

  async #ask({ name, text, values, isPlannedForValues }: PeerStatement): Promise<readonly PeerRow[]> {
    const client = isPlannedForValues ? this.#planner : this.#client
    const query = { name, text, values: [...values], rowMode: 'array' as const, types: AS_TEXT }
    return (await client.query<(string | null)[]>(query)).rows
  }

  #toAnswer(question: Question, rows: readonly PeerRow[]): Answer {
    if (question.kind === 'stats') {
      return { counts: Object.fromEntries(rows.map(([name, ...counts]) => [name, counts.slice(0, 3).map(Number)])) }
    }
    if (question.kind === 'series') return { counts: toSeries(rows, question.window) }
    const limit = question.kind === 'page' ? question.limit : rows.length
    const events = rows.slice(0, limit).map((row) => fromColumns(row, this.#names.get(row.at(-2) ?? '') ?? ''))
    if (rows.length <= limit) return { events }
    const last = rows[limit - 1]
    const next: PeerPosition = { timestamp: last?.[0] ?? '0', arrival: last?.at(-1) ?? '0' }
    return { events, next: JSON.stringify(next) }
  }

  #requireId(name: string): number {
    const id = this.#ids.get(name)
    if (id === undefined) throw new Error(`the peer has no domain ${name}`)
    return id
  }
}

/** Opens a log that another process has loaded and settled. */
export async function openPeerLog(connect: () => Promise<pg.Client>): Promise<PeerLog> {
  const client = await connect()
  const { rows } = await client.query<{ id: number; name: string }>(
    'SELECT domain_id AS id, domain_name AS name FROM domain_count',
  )
  return new PeerLog(client, await connectPlanner(connect), new Map(rows.map(({ id, name }) => [name, id])))
}

export async function connectPlanner(connect: () => Promise<pg.Client>): Promise<pg.Client> {
  const planner = await connect()
  await planner.query('SET plan_cache_mode = force_custom_plan')
  return planner
}

function toSeries(
  rows: readonly PeerRow[],
  { startTimestamp, endTimestamp }: { readonly startTimestamp: number; readonly endTimestamp: number },
): Record<string, number[]> {
  const hours = Math.ceil((endTimestamp + 1 - startTimestamp) / 3600)
  const counts: Record<string, number[]> = {}
  for (const [type, hour, events] of rows) {
    counts[type ?? ''] ??= Array<number>(hours).fill(0)
    const series = counts[type ?? '']
    if (series) series[Number(hour)] = Number(events)
  }
  return counts
}
