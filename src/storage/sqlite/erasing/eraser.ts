/**
 * Erases events from day files, step by step: the erasing thread finds them, the writing thread removes them in slices, and the
 * erasing thread then rewrites the day, so that nothing of them is left on the disk. See docs/decisions/0040.
 */
import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Erasure, ErasurePosition, ErasureStep } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { type Day, isDay } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import type { DayFiles } from '../days/day-files.ts'
import type { WriterCall } from '../writing/writer-protocol.ts'
import type { DayErasure, ErasedStep } from './erase-rows.ts'
import type { CleanedDay, FoundDay } from './erasing-protocol.ts'
import { ErasingWorker } from './erasing-worker.ts'

/** Rows are removed for this long before the position is stored. */
const STEP_MS = 1000
/** Events for a day that is being rewritten are refused. A day that is written often waits, unless this takes a moment. */
const BUSY_MS = 60_000
const QUICK_BYTES = 64 * 2 ** 20

export interface EraserDeps {
  readonly dataDir: string
  readonly files: DayFiles
  /** Days whose files are not used. */
  readonly setAside: () => readonly Day[]
  readonly call: (call: WriterCall) => Promise<unknown>
  /** Rows of the day were removed: everything in memory that was derived from them is outdated. */
  readonly onErased: (day: Day) => void
}

export class Eraser {
  readonly #deps: EraserDeps
  readonly #worker: ErasingWorker
  /** Days that are being rewritten. */
  readonly #locked = new Set<Day>()
  /** When days were last written, as far as that is recent. */
  readonly #writtenMs = new Map<Day, number>()
  #previous: Promise<unknown> = Promise.resolve()

  constructor(deps: EraserDeps) {
    this.#deps = deps
    this.#worker = new ErasingWorker(deps.dataDir)
  }

  /** The first of these days that is being rewritten. */
  findLocked(rows: readonly { readonly day: Day }[]): Day | undefined {
    return this.#locked.size === 0 ? undefined : rows.find(({ day }) => this.#locked.has(day))?.day
  }

  learn(commits: readonly DayCommit[]): void {
    const nowMs = performance.now()
    for (const { day } of commits) this.#writtenMs.set(day, nowMs)
    if (this.#writtenMs.size <= 100) return
    for (const [day, writtenMs] of this.#writtenMs) if (nowMs - writtenMs > BUSY_MS) this.#writtenMs.delete(day)
  }

  /** One step at a time, of all callers: none undoes what another did to the same day. */
  erase(erasure: Erasure, after?: ErasurePosition): Promise<ErasureStep> {
    const step = this.#previous.then(() => this.#step(erasure, parsePosition(after)))
    this.#previous = step.catch(() => undefined)
    return step
  }

  async close(): Promise<void> {
    await this.#previous
    await this.#worker.close()
  }

  async #step(erasure: Erasure, at: Position | undefined): Promise<ErasureStep> {
    // Before it is examined again, which may take a second.
    if (at?.state === REMOVED && this.#isBusy(at.day))
      return { removed: 0, isWaiting: true, next: `${at.day}${REMOVED}` }
    const found = await this.#worker.call<FoundDay | undefined>({
      kind: 'find',
      erasure,
      from: at?.day,
      isAfter: at?.state === DONE,
      setAside: this.#deps.setAside(),
    })
    // Nothing is left in the day that rows were removed from.
    if (at && at.state !== DONE && !found?.rows && found?.problem === undefined) return this.#clean(at.day)
    if (!found) return { removed: 0 }
    const { day, rows, problem, deletedFiles } = found
    const step = { removed: 0, unit: day, next: day, ...(deletedFiles && { deletedFiles }) }
    if (problem !== undefined) return { ...step, problem }
    if (!rows) return step
    // Stored before anything is removed: a process that dies in between leaves a day that still has to be rewritten.
    if (at?.day !== day || at.state === DONE) return { ...step, next: `${day}${OPEN}` }
    const removed = await this.#remove(day, rows)
    if (removed.rows === 0) return { ...step, problem: 'its rows cannot be removed' }
    return { ...step, removed: removed.events, next: `${day}${OPEN}` }
  }

  /** Pauses as long as each slice took: ingest gets at least half of the writing thread. */
  async #remove(day: Day, erasure: DayErasure): Promise<{ readonly events: number; readonly rows: number }> {
    const startedMs = performance.now()
    const removed = { events: 0, rows: 0 }
    try {
      for (let isDone = false; !isDone && performance.now() - startedMs < STEP_MS; ) {
        const sliceMs = performance.now()
        const step = (await this.#deps.call({ kind: 'erase', day, erasure })) as ErasedStep
        removed.events += step.removed
        removed.rows += step.rows
        isDone = step.isDone
        await delay(performance.now() - sliceMs)
      }
      return removed
    } finally {
      this.#deps.onErased(day)
    }
  }

  async #clean(day: Day): Promise<ErasureStep> {
    const waiting = { removed: 0, isWaiting: true, next: `${day}${REMOVED}` }
    if (this.#isBusy(day)) return waiting
    if (this.#deps.setAside().includes(day)) return { removed: 0, unit: day, problem: 'it is set aside', next: day }
    this.#locked.add(day)
    try {
      await this.#deps.call({ kind: 'lockDay', day })
      const { isClean, problem } = await this.#worker.call<CleanedDay>({ kind: 'clean', day })
      this.#deps.onErased(day)
      if (problem !== undefined) return { removed: 0, unit: day, problem, next: day }
      return isClean ? { removed: 0, next: day } : waiting
    } finally {
      this.#locked.delete(day)
      await this.#deps.call({ kind: 'unlockDay', day })
    }
  }

  #isBusy(day: Day): boolean {
    const writtenMs = this.#writtenMs.get(day) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - writtenMs > BUSY_MS) return false
    return (statSync(this.#deps.files.path(day), { throwIfNoEntry: false })?.size ?? 0) > QUICK_BYTES
  }
}

/** Rows were removed from the day, and there may be more. */
const OPEN = '+'
/** All were removed, and the day has to be rewritten. */
const REMOVED = '!'
const DONE = ''

/** How far a day is. Those before it are done. */
interface Position {
  readonly day: Day
  readonly state: typeof OPEN | typeof REMOVED | typeof DONE
}

function parsePosition(text: ErasurePosition | undefined): Position | undefined {
  if (text === undefined) return undefined
  const state = ([OPEN, REMOVED] as const).find((mark) => text.endsWith(mark)) ?? DONE
  const day = state === DONE ? text : text.slice(0, -1)
  if (!isDay(day)) throw new AppError('invalid_cursor', 'Not a valid position of an erasure.')
  return { day, state }
}
