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
  readonly #domainIds: ReadonlyMap<string, number>

  private constructor(client: pg.Client, domainIds: ReadonlyMap<string, number>) {
    this.#client = client
    this.#domainIds = domainIds
  }

  static async open(client: pg.Client, domainIds: ReadonlyMap<string, number>): Promise<Peer> {
    await client.query(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'))
    return new Peer(client, domainIds)
  }

  /** Durable when it resolves: each batch is a transaction of its own. */
  async load(batches: readonly Buffer[]): Promise<void> {
    for (const batch of batches) {
      const stream = this.#client.query(copyFrom(`COPY event (${COPY_COLUMNS}) FROM STDIN`))
      stream.end(batch)
      await finished(stream)
    }
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
    const [row] = await this.#ask({ text: "SELECT pg_total_relation_size('event')", values: [] })
    return Number(row?.[0])
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

  /** The plan of a question, for whoever wants to object to it. */
  async explain(question: Question): Promise<string> {
    const { text, values } = await this.#toStatement(question)
    const rows = await this.#ask({ text: `EXPLAIN (ANALYZE, BUFFERS) ${text}`, values })
    return rows.map(([line]) => line).join('\n')
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

  async #ask({ name, text, values }: PeerStatement): Promise<readonly PeerRow[]> {
    const { rows } = await this.#client.query<(string | null)[]>({
      ...(name !== undefined && { name }),
      text,
      values: [...values],
      rowMode: 'array',
      types: AS_TEXT,
    })
    return rows
  }

  #requireDomain(name: string): number {
    const id = this.#domainIds.get(name)
    if (id === undefined) throw new Error(`the peer knows no domain ${name}`)
    return id
  }
}

function toAnswer(rows: readonly PeerRow[], domainName: string, limit: number): SideAnswer {
  const events = rows.slice(0, limit).map((row) => fromColumns(row, domainName))
  return { events, hasMore: rows.length > limit }
}
