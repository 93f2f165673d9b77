/** What the engine needs of ClickHouse: statements, rows as text, inserts of prepared bytes. */

/**
 * `event`: the log. `event_hour`: counts by domain, hour, type, provider and class. `sending_hour`: counts by origin. `domain_change`: when
 * the counts of a domain last changed.
 */
export type TableName = 'event' | 'event_hour' | 'sending_hour' | 'domain_change'

/** Values that are sent with a query and that it can use like a table. Far cheaper than as many literals. */
export interface SentTable {
  readonly name: string
  /** Columns, as in CREATE TABLE. */
  readonly columns: string
  /** RowBinary. */
  readonly body: Uint8Array
}

export interface SelectOptions {
  readonly sent?: SentTable
  /** Sees what every server was told to be stored. Default: true. Falls back, and counts it, while that cannot be had. */
  readonly isStrict?: boolean
  /** Strict without falling back: throws AppError `storage_unavailable` instead. */
  readonly mustBeStrict?: boolean
  /** It may use the connections that are kept free for writes. Default: `mustBeStrict`. */
  readonly isOfWriting?: boolean
  /** Throws BudgetError when it is used up. */
  readonly budgetMs?: number
  readonly signal?: AbortSignal | undefined
  /** Settings of ClickHouse that every version knows, such as max_query_size. */
  readonly settings?: Readonly<Record<string, number | string>>
}

/** Where a statement reads from. */
export interface ReadSource {
  /** The name to select from. */
  readonly from: (table: TableName) => string
  /** A condition that has to be in the WHERE of the statement: it fails on a server that does not have the rows. */
  readonly isThere: string
}

export interface Insertion {
  readonly table: TableName
  /** In the format of rows/, the same bytes at each repetition. */
  readonly body: Uint8Array
  /** The same at each repetition, and different for different batches. */
  readonly token: string
  readonly timeoutMs: number
  /** Which shard has to store it. */
  readonly shard: number
  /** Every row belongs to the shard, by its domain: it may be sent there directly. */
  readonly isOfShard?: boolean
  /** In the order of the body. Default: all of rows/. */
  readonly columns?: readonly string[]
  /** Default: RowBinary. */
  readonly format?: 'RowBinary' | 'TabSeparated'
}

/** Counted since the connection was opened. */
export interface ClickHouseFigures {
  /** Reads that were not strict because that could not be had. */
  readonly fallbacks: number
  /** Requests that were repeated at another address. */
  readonly failovers: number
  /** Addresses, and how many of them answer at the moment. */
  readonly addresses: number
  readonly usableAddresses: number
}

export interface ClickHouse {
  /** Such as [18, 16]: the oldest of the servers that answered first. */
  readonly version: readonly [number, number]
  readonly database: string
  /** Absent for a single server. */
  readonly cluster?: string | undefined
  /** That events are divided among, as the tables were made for; 1 for a single server. */
  readonly shards: number
  /** That ClickHouse's configuration has: at least as many. */
  readonly configuredShards: number
  readonly figures: ClickHouseFigures
  /** The name to select from: on a cluster that of all shards. */
  readFrom(table: TableName): string
  /** As `select`, for rows of these domains alone: asks only the shard that has them, where it is certain that no other has any. */
  selectOf(
    domains: readonly number[],
    toSql: (source: ReadSource) => string,
    options?: SelectOptions,
  ): Promise<readonly (readonly string[])[]>
  /** Domains that are on the same shard, by shard; all together where that is not certain. Each part can be asked for by itself. */
  divide(domains: readonly number[]): readonly (readonly number[])[]
  /** Values as text, unescaped. Throws AppError `storage_unavailable` if no server answers. */
  select(sql: string, options?: SelectOptions): Promise<readonly (readonly string[])[]>
  /** One attempt: it may be stored although it throws. Repeating it stores it once. */
  insert(insertion: Insertion): Promise<void>
  /**
   * How many replicas each shard has by now. Inserts need as many as they promise copies; never fewer than before,
   * because strict reads rely on it.
   */
  expectReplicas(replicas: readonly number[]): void
  /** Statements without a result; those of the schema end with ON CLUSTER where there is one. */
  command(sql: string, settings?: Readonly<Record<string, number | string>>): Promise<void>
  close(): Promise<void>
}

/** The read would have taken longer than its budget, or would have read more rows than its settings allow. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError'
}
