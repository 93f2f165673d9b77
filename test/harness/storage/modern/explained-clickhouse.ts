/** The port of the engine on a ClickHouse without a server; remembers its reads, so that a test can ask for their plans. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COLUMNS, defineColumns } from '../../../../src/storage/clickhouse/rows/columns.ts'
import type {
  ClickHouse,
  Insertion,
  ReadSource,
  SelectOptions,
  SentTable,
  TableName,
} from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import { ModernClickHouse } from './modern-clickhouse.ts'

const OLD = [18, 16] as const
/** Code that is compiled at run time ends an emulated process. Plans are the same without it. */
const NO_COMPILATION = { compile_expressions: 0, compile_aggregate_expressions: 0, compile_sort_description: 0 }

/** An index as the plan uses it: its name, or `PrimaryKey`, and the granules that are left after it. */
export interface UsedIndex {
  readonly name: string
  readonly left: number
  readonly all: number
}

export class ExplainedClickHouse implements ClickHouse {
  readonly version = [26, 7] as const
  readonly database = 'envelog'
  readonly shards = 1
  readonly configuredShards = 1
  readonly figures = { fallbacks: 0, failovers: 0, addresses: 1, usableAddresses: 1 }
  readonly #server: ModernClickHouse
  readonly #folder = mkdtempSync(join(tmpdir(), 'envelog-chdb-files-'))
  readonly #reads: string[] = []
  #files = 0

  constructor(command: readonly [string, ...string[]]) {
    this.#server = new ModernClickHouse(command)
  }

  readFrom(table: TableName): string {
    return `${this.database}.${table}`
  }

  async select(sql: string, { settings = {}, sent }: SelectOptions = {}): Promise<readonly (readonly string[])[]> {
    // The database is a parameter of a request, and no setting.
    const given = Object.entries({ ...NO_COMPILATION, ...settings })
      .filter(([name]) => name !== 'database')
      .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${String(value)}'`}`)
    const statement = `${sql} SETTINGS ${given.join(', ')}`
    this.#reads.push(statement)
    // Nothing comes between the two: statements are executed in their order.
    const sending =
      sent &&
      this.#server.run(`CREATE OR REPLACE TABLE ${sent.name} ENGINE = Memory AS SELECT * FROM ${this.#keep(sent)}`)
    const [rows] = await Promise.all([this.#server.run(statement), sending])
    return rows
  }

  selectOf(_domains: readonly number[], toSql: (source: ReadSource) => string, options?: SelectOptions) {
    return this.select(toSql({ from: (table) => this.readFrom(table), isThere: '1' }), options)
  }

  divide(domains: readonly number[]): readonly (readonly number[])[] {
    return [domains]
  }

  expectReplicas(): void {}

  async command(sql: string): Promise<void> {
    await this.#server.run(sql)
  }

  /** Through a file: the bytes cannot be part of a text. */
  async insert({ table, body, token }: Insertion): Promise<void> {
    const columns = defineColumns(table, OLD).replaceAll('\n', ' ')
    const names = COLUMNS[table].map(({ name }) => name).join(', ')
    await this.#server.run(
      `INSERT INTO ${this.readFrom(table)} (${names}) SETTINGS async_insert = 0, insert_deduplication_token = '${token}'
       SELECT * FROM ${this.#keep({ name: table, columns, body })}`,
    )
  }

  /** What reads the rows. */
  #keep({ name, columns, body }: SentTable): string {
    const file = join(this.#folder, `${name}-${this.#files++}`)
    writeFileSync(file, body)
    return `file('${file}', 'RowBinary', '${columns}')`
  }

  /** Indexes that the last read from the table uses. */
  async explainLast(table: TableName): Promise<readonly UsedIndex[]> {
    const sql = this.#reads.findLast((read) => read.includes(this.readFrom(table)))
    const rows = await this.#server.run(`EXPLAIN indexes = 1 ${sql}`)
    return readPlan(rows.map(([line = '']) => line))
  }

  async close(): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true })
  }
}

function readPlan(lines: readonly string[]): readonly UsedIndex[] {
  const used: UsedIndex[] = []
  let name = ''
  // The plan is drawn as a tree.
  for (const line of lines.map((one) => one.replace(/^[\s│├└─]+/, ''))) {
    if (line === 'PrimaryKey' || line.startsWith('Name: ')) name = line.replace('Name: ', '')
    const [, left, all] = /^Granules: (\d+)\/(\d+)$/.exec(line) ?? []
    if (left !== undefined) used.push({ name, left: Number(left), all: Number(all) })
  }
  return used
}
