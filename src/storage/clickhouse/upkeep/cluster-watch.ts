/** Looks at both databases every few seconds: whether this server can use them, and how the cluster is doing. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClusterFigures } from '../../storage.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import type { WriteTimes } from '../writing/write-times.ts'
import { Members } from './members.ts'

const EVERY_MS = 2000
/** A member is asked through another one, so this takes longer. Not in the first round: a command is done before the second. */
const MEMBERS_EVERY_ROUNDS = 5
/** Of each database. Five seconds after one has become silent, this server is not ready any more. */
const ANSWER_BUDGET_MS = 3000

const READ_BATCHES = `
  SELECT count(*)::int AS batches,
    coalesce(extract(epoch FROM clock_timestamp()) * 1000 - min(decided_at_ms), 0)::bigint AS "oldestMs"
  FROM batch`

export interface ClusterWatchDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly times: WriteTimes
  /** Default: two seconds. */
  readonly everyMs?: number
}

type Found = Omit<ClusterFigures, 'locks' | 'lockWaitMs' | 'relaxedReads' | 'failovers'>

export class ClusterWatch {
  readonly #deps: ClusterWatchDeps
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #found: Found = {
    isPostgresReachable: true,
    isClickHouseReachable: true,
    members: 0,
    reachableMembers: 0,
    readOnlyMembers: 0,
    lagSeconds: 0,
    unfinishedBatches: 0,
    oldestBatchMs: 0,
  }

  private constructor(deps: ClusterWatchDeps) {
    this.#deps = deps
    this.#running = this.#run()
  }

  static start(deps: ClusterWatchDeps): ClusterWatch {
    return new ClusterWatch(deps)
  }

  get figures(): ClusterFigures {
    const { clickHouse, times } = this.#deps
    const { fallbacks, failovers } = clickHouse.figures
    const { sumsMs, counts } = times
    return { ...this.#found, locks: counts.lock, lockWaitMs: sumsMs.lock, relaxedReads: fallbacks, failovers }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Each for itself: a database that is silent must not delay what is known about the other one. */
  async #run(): Promise<void> {
    await Promise.all([
      this.#repeat(() => this.#look(() => this.#readBatches(), { isPostgresReachable: false })),
      this.#repeat(() => this.#look(() => this.#readClickHouse(), { isClickHouseReachable: false })),
      this.#repeat(async (round) => {
        // While the members cannot be asked, none of them is known to be well.
        if (round % MEMBERS_EVERY_ROUNDS === 1) await this.#look(() => this.#readMembers(), { reachableMembers: 0 })
      }),
    ])
  }

  async #repeat(look: (round: number) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    for (let round = 0; !signal.aborted; round++) {
      await look(round)
      await delay(this.#deps.everyMs ?? EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #look(read: () => Promise<Partial<Found>>, otherwise: Partial<Found>): Promise<void> {
    const found = await read().catch(() => otherwise)
    this.#found = { ...this.#found, ...found }
  }

  async #readBatches(): Promise<Partial<Found>> {
    const statements = this.#deps.db.answeringWithin(ANSWER_BUDGET_MS)
    const row = await statements.get<{ batches: number; oldestMs: number }>(READ_BATCHES)
    const { batches = 0, oldestMs = 0 } = row ?? {}
    return { isPostgresReachable: true, unfinishedBatches: batches, oldestBatchMs: Math.max(0, oldestMs) }
  }

  async #readClickHouse(): Promise<Partial<Found>> {
    await this.#deps.clickHouse.select('SELECT 1', { isStrict: false, budgetMs: ANSWER_BUDGET_MS })
    return { isClickHouseReachable: true }
  }

  async #readMembers(): Promise<Partial<Found>> {
    const { clickHouse } = this.#deps
    const members = await Members.list(clickHouse)
    if (clickHouse.cluster === undefined) return { members: 1, reachableMembers: 1 }
    const columns = 'is_readonly, absolute_delay'
    const found = await members.ask('replicas', columns, "table = 'event'", 'some')
    const rows = [...found.values()].flat()
    // Replicas that were added while this server runs count as soon as all of them have the tables.
    if (found.size === members.count) clickHouse.expectReplicas(members.replicas)
    return {
      members: members.count,
      reachableMembers: found.size,
      readOnlyMembers: rows.filter(([isReadOnly]) => isReadOnly === '1').length,
      lagSeconds: Math.max(0, ...rows.map(([, lag]) => Number(lag))),
    }
  }
}
