/** The other side of the comparison: the same events in PostgreSQL, loaded with COPY and asked with SQL. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { PreparedQuestion, Question, Side, SideAnswer } from '../question.ts'
import { PAGE_EVENTS } from '../question.ts'
import { COPY_COLUMNS, fromColumns } from './peer-event.ts'
import {
  FILL_COUNTS,
  messageStatement,
  type PeerPosition,
  type PeerStatement,
  pageStatement,
  STATS_STATEMENT,
} from './peer-queries.ts'

type PeerRow = readonly (string | null)[]

/** Values stay the texts that they are on the wire: nothing is converted that a caller may not need. */
const AS_TEXT = { getTypeParser: () => (value: string) => value }

export class Peer implements Side {
  readonly #client: pg.Client
  /** Plans every statement for its values: a setting of the connection. */
  readonly #planner: pg.Client
  readonly #loaders: readonly pg.Client[]
  readonly #domainIds: ReadonlyMap<string, number>

  private constructor(
    clients: readonly [pg.Client, pg.Client, ...pg.Client[]],
    domainIds: ReadonlyMap<string, number>,
  ) {
    const [client, planner, ...others] = clients
    this.#client = client
    this.#planner = planner
    this.#loaders = [client, ...others]
    this.#domainIds = domainIds
  }

  /** `loaders` connections share the loading. */
  static async open(
    connect: () => Promise<pg.Client>,
    domainIds: ReadonlyMap<string, number>,
    loaders: number,
  ): Promise<Peer> {
    const client = await connect()
    await client.query(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'))
    const planner = await connect()
    await planner.query('SET plan_cache_mode = force_custom_plan')
    const others = await Promise.all(Array.from({ length: loaders - 1 }, connect))
    return new Peer([client, planner, ...others], domainIds)
  }

  /** Durable when it resolves: each batch is a transaction of its own. */
  async load(batches: readonly Buffer[]): Promise<void> {
    const left = batches.values()
    await Promise.all(this.#loaders.map((loader) => copyAll(loader, left)))
  }

  async analyze(): Promise<void> {
    await this.#client.query('ANALYZE event')
  }

  /** After the last event: what a maintained table looks like, the trigram index merged, and the counts. */
  async settle(): Promise<void> {
    await this.#client.query(FILL_COUNTS, [[...this.#domainIds.values()], [...this.#domainIds.keys()]])
    await this.#client.query('VACUUM (ANALYZE) event')
    await this.#client.query('VACUUM (ANALYZE) domain_count')
    await this.#client.query('CHECKPOINT')
  }

  /** The table and all of its indexes. */
  async sizeBytes(): Promise<number> {
    const sql = "SELECT pg_total_relation_size('event') AS bytes"
    const { rows } = await this.#client.query<{ bytes: string }>(sql)
    return Number(rows[0]?.bytes)
  }

  async prepare(question: Question): Promise<PreparedQuestion<readonly PeerRow[]>> {
    const { domainName } = question
    const statement = await this.#toStatement(question)
    return {
      ask: () => this.#ask(statement),
      read: (rows) => toAnswer(rows, domainName, question.kind === 'page' ? PAGE_EVENTS : rows.length),
    }
  }

  stats(): Promise<readonly PeerRow[]> {
    return this.#ask(STATS_STATEMENT)
  }

  async close(): Promise<void> {
    await Promise.all([this.#planner, ...this.#loaders].map((client) => client.end()))
  }

  async #toStatement(question: Question): Promise<PeerStatement> {
    const domainId = this.#requireDomain(question.domainName)
    if (question.kind === 'message') return messageStatement(domainId, question.messageId)
    const { filters, deepFrom } = question
    if (deepFrom === undefined) return pageStatement(domainId, filters)
    return pageStatement(domainId, filters, await this.#findPosition(domainId, { ...filters, endTimestamp: deepFrom }))
  }

  /** Where the page that starts at the end of these filters ends. */
  async #findPosition(domainId: number, filters: Parameters<typeof pageStatement>[1]): Promise<PeerPosition> {
    const row = (await this.#ask(pageStatement(domainId, filters)))[PAGE_EVENTS - 1]
    return { timestamp: row?.[0] ?? '0', arrival: row?.at(-1) ?? '0' }
  }

  async #ask({ name, text, values, isPlannedForValues }: PeerStatement): Promise<readonly PeerRow[]> {
    const client = isPlannedForValues ? this.#planner : this.#client
    const query = { name, text, values: [...values], rowMode: 'array' as const, types: AS_TEXT }
    return (await client.query<(string | null)[]>(query)).rows
  }

  #requireDomain(name: string): number {
    const id = this.#domainIds.get(name)
    if (id === undefined) throw new Error(`the peer knows no domain ${name}`)
    return id
  }
}

async function copyAll(client: pg.Client, batches: Iterable<Buffer>): Promise<void> {
  for (const batch of batches) {
    const stream = client.query(copyFrom(`COPY event (${COPY_COLUMNS}) FROM STDIN`))
    stream.end(batch)
    await finished(stream)
  }
}

function toAnswer(rows: readonly PeerRow[], domainName: string, limit: number): SideAnswer {
  const events = rows.slice(0, limit).map((row) => fromColumns(row, domainName))
  return { events, hasMore: rows.length > limit }
}
