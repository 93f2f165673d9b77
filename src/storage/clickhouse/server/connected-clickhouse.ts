/** Requests to ClickHouse: where they are sent, how long they may take, and what is not strict while it cannot be. */
import { AppError } from '../../../lib/app-error.ts'
import { Slots } from '../../../lib/turns/slots.ts'
import { insertStatement } from '../rows/columns.ts'
import { distributedName } from '../schema/tables.ts'
import type { Address } from './address.ts'
import type { Addresses } from './addresses.ts'
import {
  BudgetError,
  type ClickHouse,
  type Insertion,
  type ReadSource,
  type SelectOptions,
  type SentTable,
  type TableName,
} from './clickhouse.ts'
import { clickHouseUnavailable, failureKindOf, toThrown } from './clickhouse-failure.ts'
import { isNew, type Version } from './features.ts'
import { isOwnShard } from './own-shard.ts'
import { insertSettings, readSettings, type Settings } from './request-settings.ts'
import { toRequest } from './sent-table.ts'
import type { ShardAddresses, ShardServers } from './shard-addresses.ts'
import { parseTabSeparated } from './tab-separated.ts'

/** Requests of one process at a time; ClickHouse allows 100 by default. */
const RUNNING_MAX = 24
/** Inserts and look-ups of the write path at a time. */
const WRITING_MAX = 12
/** To each server; one more for what is sent beside them, such as a statement that ends a query. */
export const CONNECTIONS = RUNNING_MAX + WRITING_MAX + 1
const WAITING_MAX = 2000
/** Copies that an acknowledged insert is on, if there are as many replicas. */
export const COPIES = 2
/** For reads without a budget. */
const READ_TIMEOUT_MS = 30_000
/** ClickHouse itself gives up on its members after 180 seconds. */
const COMMAND_TIMEOUT_MS = 200_000
/** The condition that is true on every server. */
const ANYWHERE = '1'
/** How long reads are not strict after all addresses refused a strict one. */
const RELAXED_MS = 1000

export interface DatabaseName {
  readonly database: string
  /** The name in ClickHouse's configuration. Absent for a single server. */
  readonly cluster?: string
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined
  readonly sent?: SentTable | undefined
  readonly isWriting?: boolean
  /** It may be ended on the server when nobody waits for it any more. */
  readonly isRead?: boolean
  /** Default: all addresses. */
  readonly among?: readonly Address[] | undefined
}

export interface Found {
  readonly version: Version
  readonly shards: number
  readonly configuredShards: number
  /** Of each shard. */
  readonly replicas: readonly number[]
  /** Every domain has all its events on one shard. */
  readonly isSettled: boolean
}

type Rows = readonly (readonly string[])[]

export class ConnectedClickHouse implements ClickHouse {
  readonly version: Version
  readonly database: string
  readonly cluster: string | undefined
  readonly shards: number
  readonly configuredShards: number
  /** Replicas that have to store an insert, of each shard. */
  #quorums: readonly number[] = []
  readonly #isSettled: boolean
  readonly #addresses: Addresses
  readonly #slots = new Slots({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX })
  /** Of their own: what is written does not wait for what is read. */
  readonly #writingSlots = new Slots({ runningMax: WRITING_MAX, waitingMax: WAITING_MAX })
  #shardAddresses: ShardAddresses | undefined
  #fallbacks = 0
  #relaxedUntil = -Infinity

  constructor({ database, cluster }: DatabaseName, addresses: Addresses, found: Found) {
    this.version = found.version
    this.database = database
    this.cluster = cluster
    this.shards = found.shards
    this.configuredShards = found.configuredShards
    this.expectReplicas(found.replicas)
    this.#isSettled = found.isSettled && cluster !== undefined
    this.#addresses = addresses
  }

  get figures() {
    const { failovers, size, usable } = this.#addresses
    return { fallbacks: this.#fallbacks, failovers, addresses: size, usableAddresses: usable }
  }

  readFrom(table: TableName): string {
    return this.cluster === undefined ? table : distributedName(table, this.shards)
  }

  select(sql: string, options: SelectOptions = {}): Promise<Rows> {
    return this.#select(sql, options)
  }

  async selectOf(
    domains: readonly number[],
    toSql: (source: ReadSource) => string,
    options: SelectOptions = {},
  ): Promise<Rows> {
    const startedAt = performance.now()
    const own = await this.#findOwnServers(domains)
    if (own) {
      try {
        const isThere = isOwnShard(this.shards, own.name)
        return await this.#select(toSql({ from: (table) => table, isThere }), options, own.addresses)
      } catch (error) {
        if (!mayBeElsewhere(error)) throw error
      }
    }
    const { budgetMs } = options
    const leftMs = budgetMs === undefined ? undefined : Math.max(1, budgetMs - (performance.now() - startedAt))
    const given = leftMs === undefined ? options : { ...options, budgetMs: Math.ceil(leftMs) }
    return this.#select(toSql({ from: (table) => this.readFrom(table), isThere: ANYWHERE }), given)
  }

  divide(domains: readonly number[]): readonly (readonly number[])[] {
    return this.#isSettled ? [...Map.groupBy(domains, (domain) => domain % this.shards).values()] : [domains]
  }

  async #select(sql: string, options: SelectOptions, among?: readonly Address[]): Promise<Rows> {
    const {
      isStrict = true,
      mustBeStrict = false,
      isOfWriting = mustBeStrict,
      budgetMs,
      signal,
      settings,
      sent,
    } = options
    const timeoutMs = budgetMs ?? READ_TIMEOUT_MS
    const run = async (strictly: boolean) => {
      const given = { ...readSettings({ version: this.version, timeoutMs, isStrict: strictly }), ...settings }
      const running = this.#run(`${sql}\nFORMAT TabSeparated`, given, timeoutMs, {
        signal,
        sent,
        isWriting: isOfWriting,
        isRead: true,
        among,
      })
      return parseTabSeparated(await (budgetMs === undefined ? running : running.catch(throwBudget)))
    }
    if (this.cluster === undefined || !(isStrict || mustBeStrict)) return run(false)
    const startedAt = performance.now()
    if (startedAt >= this.#relaxedUntil || mustBeStrict) {
      try {
        return await run(true)
      } catch (error) {
        if (mustBeStrict || !isStrictFailure(error)) throw error
        const now = performance.now()
        this.#relaxedUntil = now + Math.max(RELAXED_MS, now - startedAt)
      }
    }
    this.#fallbacks += 1
    return run(false)
  }

  async insert(insertion: Insertion): Promise<void> {
    const { table, body, token, timeoutMs, columns, format = 'RowBinary' } = insertion
    const own = await this.#listOwn(insertion)
    this.#requireCopies(insertion, own)
    const target = own.length > 0 ? table : this.readFrom(table)
    const into = columns
      ? `INSERT INTO ${target} (${columns.join(', ')}) FORMAT ${format}`
      : insertStatement(table, target)
    const settings = insertSettings({ version: this.version, quorum: this.#quorumOf(insertion, own), timeoutMs, token })
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      using _slot = await this.#takeSlot(this.#writingSlots, signal)
      const request = { sql: into, settings: { database: this.database, ...settings }, body, signal }
      await this.#addresses.once(request, own.length > 0 ? own : undefined)
    } catch (error) {
      throw toUnavailable(toThrown(error))
    }
  }

  expectReplicas(replicas: readonly number[]): void {
    this.#quorums = replicas.map((count, shard) => Math.max(this.#quorums[shard] ?? 1, Math.min(COPIES, count)))
  }

  async command(sql: string, settings: Settings = {}): Promise<void> {
    try {
      await this.#run(sql, settings, COMMAND_TIMEOUT_MS)
    } catch (error) {
      // A member of the cluster is away, and executes the statement when it is back.
      throw toUnavailable(error)
    }
  }

  async close(): Promise<void> {
    this.#addresses.close()
  }

  /** Of the shard of the domains. Undefined if it is not certain that they have all rows, and that they answer. */
  async #findOwnServers(domains: readonly number[]): Promise<ShardServers | undefined> {
    const shard = (domains[0] ?? 0) % this.shards
    if (!this.#isSettled || domains.some((domain) => domain % this.shards !== shard)) return undefined
    return this.#findShards()?.findServers(shard)
  }

  #findShards(): ShardAddresses | undefined {
    if (this.cluster === undefined) return undefined
    this.#shardAddresses ??= this.#addresses.shardsOf(this.cluster)
    return this.#shardAddresses
  }

  /** Addresses of the shard; empty if it is better or necessary to let ClickHouse find it. */
  async #listOwn({ shard, isOfShard = false }: Insertion): Promise<readonly Address[]> {
    return isOfShard && !isNew(this.version) ? ((await this.#findShards()?.listOf(shard)) ?? []) : []
  }

  /** What goes to several shards, or an empty block of it, can have no more copies than the one with the fewest replicas. */
  #quorumOf({ shard, isOfShard = false }: Insertion, own: readonly Address[]): number {
    const isAlone = isOfShard && (own.length > 0 || isNew(this.version))
    return (isAlone ? this.#quorums[shard] : undefined) ?? Math.min(...this.#quorums)
  }

  /** With one copy in a shard of several replicas, no read could be strict: events would be missing in pages, and stored twice. */
  #requireCopies(insertion: Insertion, own: readonly Address[]): void {
    const { shard, isOfShard = false } = insertion
    if (!isOfShard || this.#quorumOf(insertion, own) >= (this.#quorums[shard] ?? 1)) return
    throw clickHouseUnavailable(
      new Error(
        `No address in ENVELOG_CLICKHOUSE_URL leads to a reachable server of ClickHouse shard ${shard + 1}. At least one is required while another shard has only one replica`,
      ),
    )
  }

  async #run(
    sql: string,
    settings: Settings,
    timeoutMs: number,
    { signal, sent, isWriting = false, isRead = false, among }: RunOptions = {},
  ): Promise<string> {
    // The wait for a slot is a part of the time that the caller gives.
    const deadline = AbortSignal.timeout(timeoutMs)
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline
    try {
      using _slot = await this.#takeSlot(isWriting ? this.#writingSlots : this.#slots, either)
      const { settings: told, ...rest } = sent ? toRequest(sent) : {}
      const given = { database: this.database, ...settings, ...told }
      // Newer versions end a read when its connection is closed.
      const mustBeKilled = isRead && !isNew(this.version)
      return await this.#addresses.any({ sql, settings: given, ...rest, signal: either, mustBeKilled }, among)
    } catch (error) {
      signal?.throwIfAborted()
      throw toThrown(error)
    }
  }

  async #takeSlot(slots: Slots, signal: AbortSignal): Promise<Disposable> {
    const slot = await slots.take(signal)
    if (slot) return slot
    signal.throwIfAborted()
    throw new AppError(
      'overloaded',
      'Too many requests are waiting for the event store. Send the same request again later.',
    )
  }
}

/** The deadline of a read with a budget is the budget. */
function throwBudget(error: unknown): never {
  const { cause } = error as { readonly cause?: unknown }
  if (cause instanceof Error && cause.name === 'TimeoutError') throw new BudgetError('The read used up its budget')
  throw error
}

/** For statements that have no budget of their caller. */
function toUnavailable(error: unknown): unknown {
  return error instanceof BudgetError ? clickHouseUnavailable(error.cause) : error
}

/** Servers of the shard may be missing in our addresses; a read that was not strict enough would not be elsewhere either. */
function mayBeElsewhere(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable' && !isStrictFailure(error)
}

function isStrictFailure(error: unknown): boolean {
  return error instanceof AppError && error.cause !== undefined && failureKindOf(error.cause) === 'strict'
}
