/**
 * Use case: removes what is older than the retention period. All removal by age goes through here, because the clock may be
 * wrong: events, rejected records, the audit log.
 */
import type { Clock, KnownTime } from '../../lib/clock.ts'
import type { EventLog } from '../log/event-log.ts'
import type { RetentionState, RetentionStore } from './retention-store.ts'
import { advance, believe, DOUBT_MS, isDoubtful, type RetentionTime, STEP_MS } from './retention-time.ts'

export interface RetentionDeps {
  readonly store: RetentionStore
  readonly log: Pick<EventLog, 'removeBefore' | 'findNewestTimestamp'>
  /** Removes the records that were rejected before the given time; returns how many. */
  readonly removeRejected: (timeMs: number) => Promise<number>
  readonly removeAudit: (timeMs: number) => Promise<number>
  readonly clock: Clock
  /** Milliseconds of running time: never set, neither forward nor back. */
  readonly uptime: Clock
  readonly retentionMs: number
  readonly auditRetentionMs: number
}

/** At most this much of the time since another server's run is believed by the clock. */
const AWAY_MS_MAX = 3_600_000

/** `waiting`: the clock is doubted. `catching_up`: more is due than one run removes. */
export type RetentionPhase = 'on_time' | 'waiting' | 'catching_up'

export interface RetentionStatus {
  readonly phase: RetentionPhase
  readonly clockMs: number
  /** The time by which data expires. */
  readonly timeMs: number
  /** How far the clock is ahead of the expected time (negative: behind); 0 unless it is doubted. */
  readonly offMs: number
  /** Running time until a doubted clock is believed. */
  readonly believedInMs: number
  /** The last run without errors; undefined before the first. */
  readonly completedAtMs: number | undefined
  /** Days that ended before this were removed; undefined before the first run. */
  readonly cutoffMs: number | undefined
}

export interface RetentionRun {
  readonly days: readonly string[]
  readonly rejected: number
  readonly auditEntries: number
  readonly status: RetentionStatus
}

export class Retention implements KnownTime {
  readonly #deps: RetentionDeps
  #state: RetentionState | undefined
  /** Of the last run of this process, or of its start. */
  #uptimeMs: number
  #hasRun = false
  #running: Promise<unknown> = Promise.resolve()

  private constructor(deps: RetentionDeps, state: RetentionState | undefined) {
    this.#deps = deps
    this.#state = state
    this.#uptimeMs = deps.uptime()
  }

  static async open(deps: RetentionDeps): Promise<Retention> {
    return new Retention(deps, await deps.store.find())
  }

  get earliestMs(): number {
    return Math.min(this.#deps.clock(), this.#expectedMs)
  }

  get latestMs(): number {
    return Math.max(this.#deps.clock(), this.#expectedMs)
  }

  /** A clock that jumps is noticed at once, not only by the next run. */
  get status(): RetentionStatus {
    const clockMs = this.#deps.clock()
    const timeMs = this.#expectedMs
    const offMs = isDoubtful(clockMs - timeMs) ? clockMs - timeMs : 0
    const believedInMs = offMs === 0 ? 0 : Math.max(0, DOUBT_MS - (this.#state?.doubt?.waitedMs ?? 0))
    const { cutoffMs, completedAtMs } = this.#state ?? {}
    const isLate = offMs !== 0 || this.#isLate
    const phase = believedInMs > 0 ? 'waiting' : isLate ? 'catching_up' : 'on_time'
    return { phase, clockMs, timeMs, offMs, believedInMs, completedAtMs, cutoffMs }
  }

  /** Whether the last run left something that was due. */
  get #isLate(): boolean {
    if (!this.#state) return false
    const { timeMs, clockMs, cutoffMs } = this.#state
    return cutoffMs < Math.min(timeMs, clockMs) - this.#deps.retentionMs
  }

  /** Notes the time in a storage without events: nothing can be lost by believing the clock. */
  async begin(): Promise<void> {
    const { clock, uptime, retentionMs } = this.#deps
    if (this.#state) return
    await this.#save({ ...believe(clock()), cutoffMs: clock() - retentionMs }, uptime())
  }

  /** Learns what the last run of another server has left behind. */
  async refresh(): Promise<void> {
    const { store, clock, uptime } = this.#deps
    const stored = await store.find()
    if (!stored || isSameRun(stored, this.#state)) return
    const awayMs = Math.min(Math.max(0, clock() - stored.clockMs), AWAY_MS_MAX)
    this.#state = stored
    this.#uptimeMs = uptime() - awayMs
    // As after a restart: the running time since then is not this server's.
    this.#hasRun = false
  }

  /** One run at a time. `isConfirmed`: a person says that the clock is right, so that everything due is removed at once. */
  run({ isConfirmed = false } = {}): Promise<RetentionRun> {
    const run = this.#running.then(() => this.#remove(isConfirmed))
    this.#running = run.catch(() => undefined)
    return run
  }

  /** What the time would be if the clock had not been touched since the last run. */
  get #expectedMs(): number {
    const { clock, uptime } = this.#deps
    return this.#state ? this.#state.timeMs + (uptime() - this.#uptimeMs) : clock()
  }

  async #remove(isConfirmed: boolean): Promise<RetentionRun> {
    const { log, removeRejected, removeAudit, clock, uptime, retentionMs, auditRetentionMs } = this.#deps
    // Other servers may run it, too: what they have stored counts.
    await this.refresh()
    const [clockMs, uptimeMs] = [clock(), uptime()]
    const time = isConfirmed ? believe(clockMs) : await this.#look(clockMs, uptimeMs)
    // A clock that is behind removes less, whatever was believed before.
    const nowMs = Math.min(time.timeMs, clockMs)
    const cutoffMs = this.#cutoff(nowMs - retentionMs, isConfirmed)
    // One after the other; a failure is thrown at the end.
    const days = log.removeBefore(cutoffMs)
    const daysDone = await isDone(days)
    const rejected = removeRejected(cutoffMs)
    const rejectedDone = await isDone(rejected)
    const auditEntries = removeAudit(nowMs - auditRetentionMs)
    const auditDone = await isDone(auditEntries)
    const completedAtMs = daysDone && rejectedDone && auditDone ? clockMs : this.#state?.completedAtMs
    // After a failure too: a day that cannot be removed must not keep all that follow.
    await this.#save({ ...time, cutoffMs, ...(completedAtMs !== undefined && { completedAtMs }) }, uptimeMs)
    return { days: await days, rejected: await rejected, auditEntries: await auditEntries, status: this.status }
  }

  async #look(clockMs: number, uptimeMs: number): Promise<RetentionTime> {
    const elapsedMs = this.#hasRun ? uptimeMs - this.#uptimeMs : undefined
    const newest = this.#state ? undefined : await this.#deps.log.findNewestTimestamp()
    return advance(this.#state, { clockMs, elapsedMs, newestEventMs: newest === undefined ? undefined : newest * 1000 })
  }

  /** In steps, whatever moved it so far: the clock, or a retention period that was shortened by mistake. */
  #cutoff(dueMs: number, isConfirmed: boolean): number {
    const before = this.#state?.cutoffMs
    return before === undefined || isConfirmed ? dueMs : Math.min(dueMs, before + STEP_MS)
  }

  async #save(state: RetentionState, uptimeMs: number): Promise<void> {
    await this.#deps.store.save(state)
    this.#state = state
    this.#uptimeMs = uptimeMs
    this.#hasRun = true
  }
}

/** False if it has failed. */
function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

function isSameRun(stored: RetentionState, known: RetentionState | undefined): boolean {
  return stored.clockMs === known?.clockMs && stored.timeMs === known.timeMs && stored.cutoffMs === known.cutoffMs
}
