/** The members of the cluster: their system tables, and statements that all of them carry out. */
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError, type ClickHouse, type TableName } from '../server/clickhouse.ts'
import { clickHouseUnavailable, failureKindOf } from '../server/clickhouse-failure.ts'
import { isNew } from '../server/features.ts'

/** Servers that have no database of ours yet can be asked, too. */
const ANYWHERE = { database: 'system' }
/** A member that hangs is not waited for. */
const ANSWER_BUDGET_MS = 5000
/** For counting rows, which goes through whole days. */
const COUNT_BUDGET_MS = 60_000
const QUERY_SIZE_MAX = 1 << 24
/** ClickHouse continues with a statement for the whole cluster after we stopped waiting for it. */
const DDL_TIMEOUT_SECONDS = 5

type SystemTable = 'columns' | 'macros' | 'mutations' | 'parts' | 'replicas' | 'replication_queue' | 'tables'
type Rows = readonly (readonly string[])[]

/**
 * Who has to answer. `shards`: a replica of every shard. `some`: whoever can; to be used only where a member without rows and one that does
 * not answer mean the same.
 */
export type Answering = 'all' | 'shards' | 'some'

interface Member {
  /** Native. */
  readonly address: string
  readonly shard: string
}

export class Members {
  readonly #clickHouse: ClickHouse
  /** Empty for a single server. */
  readonly #members: readonly Member[]

  private constructor(clickHouse: ClickHouse, members: readonly Member[]) {
    this.#clickHouse = clickHouse
    this.#members = members
  }

  /** As ClickHouse is configured now: members may be added while we run. */
  static async list(clickHouse: ClickHouse): Promise<Members> {
    const { cluster } = clickHouse
    if (cluster === undefined) return new Members(clickHouse, [])
    const rows = await clickHouse.select(
      `SELECT host_name, port, shard_num FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num, replica_num`,
      { isStrict: false, settings: ANYWHERE },
    )
    return new Members(
      clickHouse,
      rows.map(([host, port, shard = '']) => ({ address: `${host}:${port}`, shard })),
    )
  }

  /** Replicas of all shards. */
  get count(): number {
    return Math.max(1, this.#members.length)
  }

  /** Of each shard, in the order of the configuration. */
  get replicas(): readonly number[] {
    return [...Map.groupBy(this.#members, ({ shard }) => shard).values()].map((replicas) => replicas.length)
  }

  /**
   * Rows about our tables, or macros, of each member that has any. `columns` and `where` are SQL. Throws AppError `storage_unavailable` unless those
   * have answered who have to: an answer that is missing must not be taken for one without rows.
   */
  async ask(
    table: SystemTable,
    columns: string,
    where: string,
    answering: Answering = 'shards',
  ): Promise<ReadonlyMap<string, Rows>> {
    const { cluster, version, database } = this.#clickHouse
    const condition = `WHERE ${table === 'macros' ? '' : `database = '${database}' AND `}${where}`
    if (cluster === undefined) {
      const rows = await this.#select(`SELECT ${columns} FROM system.${table} ${condition}`)
      return new Map(rows.length > 0 ? [['', rows]] : [])
    }
    if (!isNew(version)) {
      const toSql = (address: string) => `SELECT ${columns} FROM remote('${address}', system.${table}) ${condition}`
      const answers = await this.#askEach(toSql, answering)
      return new Map([...answers].filter(([, rows]) => rows.length > 0))
    }
    const found = new Map<string, (readonly string[])[]>()
    const rows = await this.#select(
      `SELECT hostName(), tcpPort(), ${columns} FROM clusterAllReplicas('${cluster}', system.${table}) ${condition}`,
      answering === 'all' ? {} : { skip_unavailable_shards: 1 },
    )
    // Fails if no replica of a shard answers.
    if (answering === 'shards') await this.#select(`SELECT count() FROM cluster('${cluster}', system.one)`)
    for (const [host, port, ...row] of rows) {
      const member = `${host}:${port}`
      found.set(member, [...(found.get(member) ?? []), row])
    }
    return found
  }

  /**
   * Addresses of members that another one cannot reach, for the operator: empty if all can be reached, and also if none can, because
   * then we ask in a wrong way.
   */
  async listSilent(): Promise<readonly string[]> {
    const isSilent = async ({ address }: Member) => {
      const asking = this.#select(`SELECT 1 FROM remote('${address}', system.one)`)
      // One that refuses us answers.
      return asking.then(
        () => false,
        (error: AppError) => failureKindOf(error.cause ?? error) !== 'bug',
      )
    }
    const silent = await Promise.all(this.#members.map(isSilent))
    const found = this.#members.filter((_, index) => silent[index]).map(({ address }) => address)
    return found.length < this.#members.length ? found : []
  }

  /** Partitions of any member, sorted. Throws as `ask`. */
  async listPartitions(where: string): Promise<readonly string[]> {
    const found = await this.ask('parts', 'partition', where)
    return [...new Set([...found.values()].flat(2))].sort()
  }

  /** How many rows the members have, those of replicas together. Throws AppError `storage_unavailable` unless all answer. */
  async countRows(table: TableName, where: string): Promise<number> {
    const { cluster, version, database } = this.#clickHouse
    const countIn = (source: string) => `SELECT count() FROM ${source} WHERE ${where}`
    const count = (sql: string) => this.#select(sql, { max_query_size: QUERY_SIZE_MAX }, COUNT_BUDGET_MS)
    if (cluster === undefined) return sumOf(await count(countIn(`${database}.${table}`)))
    if (isNew(version)) return sumOf(await count(countIn(`clusterAllReplicas('${cluster}', ${database}.${table})`)))
    const counts = this.#members.map(({ address }) => count(countIn(`remote('${address}', ${database}.${table})`)))
    return sumOf((await Promise.all(counts)).flat())
  }

  /** Old versions have no function for it; servers reach each other without a password then, as in our tests. */
  async #askEach(toSql: (address: string) => string, answering: Answering): Promise<ReadonlyMap<string, Rows>> {
    const missing: unknown[] = []
    const answers = await Promise.all(
      this.#members.map(async ({ address, shard }) => {
        // Of a member that cannot be reached not even the columns are known, which is an error.
        const rows = await this.#select(toSql(address)).catch((error: unknown) => void missing.push(error))
        return { address, shard, rows }
      }),
    )
    const present = answers.flatMap(({ address, shard, rows }) => (rows ? [{ address, shard, rows }] : []))
    const shards = new Set(present.map(({ shard }) => shard))
    const isEnough = answering === 'all' ? missing.length === 0 : this.#members.every(({ shard }) => shards.has(shard))
    if (answering !== 'some' && !isEnough) throw clickHouseUnavailable(missing[0])
    return new Map(present.map(({ address, rows }) => [address, rows]))
  }

  async #select(
    sql: string,
    settings: Readonly<Record<string, number>> = {},
    budgetMs = ANSWER_BUDGET_MS,
  ): Promise<Rows> {
    try {
      return await this.#clickHouse.select(sql, { isStrict: false, budgetMs, settings: { ...ANYWHERE, ...settings } })
    } catch (error) {
      throw error instanceof BudgetError ? clickHouseUnavailable(error) : error
    }
  }
}

/**
 * A statement about a table of all shards, such as `DROP PARTITION …`. Resolves also if a member could not be reached or takes long: it
 * carries it out later. The caller has to look at the outcome.
 */
export async function alterTable(clickHouse: ClickHouse, table: string, change: string): Promise<void> {
  const { cluster, database } = clickHouse
  const where = cluster === undefined ? '' : ` ON CLUSTER \`${cluster}\``
  const settings = cluster === undefined ? {} : { distributed_ddl_task_timeout: DDL_TIMEOUT_SECONDS }
  try {
    await clickHouse.command(`ALTER TABLE \`${database}\`.${table}${where} ${change}`, settings)
  } catch (error) {
    // By the cause: `command` reports a member that is away as AppError.
    if (!(error instanceof AppError) || failureKindOf(error.cause) !== 'budget') throw error
  }
}

function sumOf(rows: Rows): number {
  return rows.reduce((sum, [count]) => sum + Number(count), 0)
}
