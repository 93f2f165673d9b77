/**
 * Erasing in ClickHouse: day by day, each day as a deletion that names the events it concerns, so that it can be repeated by any server.
 * Nothing but numbers is in the statements. See docs/decisions/0051.
 */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Erasure, ErasurePosition, ErasureStep } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { BatchStore } from '../../postgres/batches/batch-store.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse, TableName } from '../server/clickhouse.ts'
import { dayAfter, dayOfSecond, isDay } from '../upkeep/day.ts'
import { Members } from '../upkeep/members.ts'
import { finishDecided, type ShardAccess } from '../upkeep/shard-access.ts'
import { deleteRows } from './delete-rows.ts'
import { type Deletion, ErasureLease } from './erasure-lease.ts'
import { concerns, findErased, LONG_QUERY } from './find-erased.ts'
import { checkUnclean, listUnclean } from './unclean-partitions.ts'

export interface EraserDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly access: ShardAccess
  readonly batches: Pick<BatchStore, 'readHorizon'>
  /** Default: 8 seconds. */
  readonly stepMs?: number
}

/** How long a step waits for ClickHouse, and how long it looks for events. */
const STEP_MS = 8000
/** Before somebody who has to wait may ask again. */
const PAUSE_MS = 300
const FIRST_DAY = '1970-01-01'
const DAY_OF_HOUR = dayOfSecond('hour * 3600')
/** With the partition of a row, in SQL. */
const COUNT_TABLES = [
  ['event_hour', DAY_OF_HOUR],
  ['sending_hour', DAY_OF_HOUR],
  ['domain_change', "'tuple()'"],
] as const satisfies readonly (readonly [TableName, string])[]

/**
 * `start`: what was decided before has to be visible first. `fromDay`: days from this one on. `counts`: those of removed domains.
 * `files`: waiting for old files to disappear.
 */
type Position = 'start' | { readonly fromDay: string } | 'counts' | 'files'

export class Eraser {
  readonly #deps: EraserDeps
  readonly #stepMs: number

  constructor(deps: EraserDeps) {
    this.#deps = deps
    this.#stepMs = deps.stepMs ?? STEP_MS
  }

  async erase(erasure: Erasure, after?: ErasurePosition): Promise<ErasureStep> {
    if (erasure.what !== 'recipient' && erasure.domainNumbers.length === 0) return { removed: 0 }
    const position = parsePosition(after)
    await using lease = await ErasureLease.claim(this.#deps.db)
    if (!lease) return await wait(position)
    if (position === 'start' && !(await isPossible(finishDecided(this.#deps.access)))) return await wait(position)
    const left = lease.decided
    if (left) {
      if (!(await this.#carryOut(lease))) return await wait(position)
      if (left.job === jobOf(erasure) && left.day !== undefined) {
        return { removed: left.events, unit: left.day, next: formatPosition({ fromDay: left.day }) }
      }
    }
    if (position === 'files') return await this.#awaitFiles()
    if (position === 'counts') return await this.#eraseCounts(lease, erasure)
    return await this.#eraseDays(lease, erasure, position === 'start' ? FIRST_DAY : position.fromDay)
  }

  async #eraseDays(lease: ErasureLease, erasure: Erasure, fromDay: string): Promise<ErasureStep> {
    const deadline = performance.now() + this.#stepMs
    const members = await Members.list(this.#deps.clickHouse)
    for (const day of await members.listPartitions(`table = 'event' AND active AND partition >= '${fromDay}'`)) {
      if (!concerns(erasure, day)) continue
      if (performance.now() > deadline) return { removed: 0, next: formatPosition({ fromDay: day }) }
      await lease.extend()
      const finding = findErased(this.#deps.clickHouse, erasure, day, await this.#findBound())
      const found = await lease.keepDuring(finding)
      if (!found) continue
      const { counts, where, isAll } = found
      const events = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const decided = {
        job: jobOf(erasure),
        tag: newTag(),
        day,
        events,
        deletions: [{ table: 'event', where, partitions: [day] }],
      } as const
      await lease.decide(decided, erasure.what === 'domains' ? new Map() : counts)
      if (!(await this.#carryOut(lease))) return { ...(await wait({ fromDay: day })), unit: day }
      return { removed: events, unit: day, next: formatPosition({ fromDay: isAll ? dayAfter(day) : day }) }
    }
    return { removed: 0, next: erasure.what === 'domains' ? 'counts' : 'files' }
  }

  /** The number of the first event that may be of an unfinished batch. */
  async #findBound(): Promise<number> {
    const { next, unfinished } = await this.#deps.batches.readHorizon()
    return Math.min(next, ...unfinished.values())
  }

  async #eraseCounts(lease: ErasureLease, erasure: Erasure): Promise<ErasureStep> {
    if (erasure.what !== 'domains') return { removed: 0, next: 'files' }
    const deletions = await lease.keepDuring(this.#findCounts(erasure.domainNumbers))
    if (deletions.length > 0) {
      await lease.decide({ job: jobOf(erasure), tag: newTag(), events: 0, deletions }, new Map())
      if (!(await this.#carryOut(lease))) return wait('counts')
    }
    await lease.forgetCounts(erasure.domainNumbers)
    return { removed: 0, next: 'files' }
  }

  async #findCounts(domainNumbers: readonly number[]): Promise<readonly Deletion[]> {
    const { clickHouse } = this.#deps
    const deletions: Deletion[] = []
    const where = `domain IN (${domainNumbers.join(', ')})`
    for (const [table, partition] of COUNT_TABLES) {
      const sql = `SELECT DISTINCT ${partition} FROM ${clickHouse.readFrom(table)} WHERE ${where}`
      const partitions = (await clickHouse.select(sql, { mustBeStrict: true, settings: LONG_QUERY })).flat()
      if (partitions.length > 0) deletions.push({ table, where, partitions })
    }
    return deletions
  }

  /** False if a replica has not done it yet; it stays decided. */
  async #carryOut(lease: ErasureLease): Promise<boolean> {
    const { clickHouse } = this.#deps
    const { decided } = lease
    if (!decided) return true
    const patience = { untilMs: performance.now() + this.#stepMs, onPoll: () => lease.extend() }
    if (!(await isPossible(deleteRows(clickHouse, decided, patience)))) return false
    const complete = async () => lease.complete(await listUnclean(clickHouse, decided.deletions))
    return isPossible(complete())
  }

  async #awaitFiles(): Promise<ErasureStep> {
    const { db, clickHouse } = this.#deps
    const deadline = performance.now() + this.#stepMs / 2
    while (!(await isPossible(checkUnclean(db, clickHouse)))) {
      if (performance.now() > deadline) return { removed: 0, isWaiting: true, next: 'files' }
      await delay(PAUSE_MS)
    }
    return { removed: 0 }
  }
}

async function wait(position: Position): Promise<ErasureStep> {
  await delay(PAUSE_MS)
  return { removed: 0, isWaiting: true, next: formatPosition(position) }
}

/** False if it could not be done because a database or a replica is away, or because it was not done in time. */
async function isPossible(work: Promise<unknown>): Promise<boolean> {
  try {
    return (await work) !== false
  } catch (error) {
    if (error instanceof AppError && error.code === 'storage_unavailable') return false
    throw error
  }
}

/** Of a position that is not ours, everything is done again. */
function parsePosition(text: ErasurePosition = 'start'): Position {
  if (text === 'counts' || text === 'files') return text
  return isDay(text) ? { fromDay: text } : 'start'
}

function formatPosition(position: Position): ErasurePosition {
  return typeof position === 'string' ? position : position.fromDay
}

/** The same for each step of an erasure. It contains no address, and is forgotten with the step. */
function jobOf(erasure: Erasure): string {
  return createHash('sha256').update(JSON.stringify(erasure)).digest('hex')
}

function newTag(): string {
  return `envelog ${randomUUID()}`
}
