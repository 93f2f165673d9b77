/**
 * Days that are set aside, as the serving thread coordinates it: all threads leave them out, until they are accepted, repaired, or,
 * if the disk did not return them, can be read again.
 */
import type { Clock } from '../../../lib/clock.ts'
import type { DayRepair, DayTrouble } from '../../storage.ts'
import { type Day, endOfDayMs } from '../days/day.ts'
import type { DataFolder } from '../manifest/check-days.ts'
import { repairDay, requireRepairable } from '../repair/repair-day.ts'
import type { WriterCall } from '../writing/writer-protocol.ts'
import { checkUnreadable } from './check-unreadable.ts'
import { Retries, type RetryDelays } from './retries.ts'
import { SetAsideDays, type TroubleListener } from './set-aside-days.ts'
import { damagedDay } from './troubled-day.ts'

/** The other threads. */
export interface DayUsers {
  /** To the writing thread. */
  readonly call: (call: WriterCall) => Promise<unknown>
  /** To the reading threads; what is in memory of the day's events is forgotten. */
  readonly setAside: (day: Day) => void
  readonly takeBack: (day: Day) => void
  /** Resolves when no reading thread has the file of the day open. */
  readonly closeDay: (day: Day) => Promise<void>
}

export interface DayRecoveryDeps {
  readonly dataDir: string
  readonly folder: Pick<DataFolder, 'files' | 'troubles'>
  readonly users: DayUsers
  readonly clock: Clock
  readonly delays?: RetryDelays
  /** On threads of their own. */
  readonly work?: { readonly check: typeof checkUnreadable; readonly repair: typeof repairDay }
}

const ON_THREADS = { check: checkUnreadable, repair: repairDay }

/** A disk may work again in a moment, or tomorrow. An attempt costs as much as the part of the file that can be read. */
const DELAYS: RetryDelays = { firstMs: 500, maxMs: 3_600_000 }

export class DayRecovery {
  readonly #deps: DayRecoveryDeps
  readonly #work: NonNullable<DayRecoveryDeps['work']>
  readonly #aside: SetAsideDays
  readonly #unreadable: Retries
  readonly #closing = new AbortController()
  /** Repairs and checks are done one after the other: one must not replace the file that another has open. */
  #previous: Promise<unknown> = Promise.resolve()

  constructor(deps: DayRecoveryDeps) {
    this.#deps = deps
    this.#work = deps.work ?? ON_THREADS
    this.#aside = new SetAsideDays(deps.folder.troubles.list())
    this.#unreadable = new Retries((day) => this.#inTurn(() => this.#checkAgain(day)), deps.delays ?? DELAYS)
  }

  /** Newest day first. */
  get list(): readonly DayTrouble[] {
    return this.#aside.list
  }

  find(day: Day): DayTrouble | undefined {
    return this.#aside.find(day)
  }

  /** Days that are used again. */
  get takenBack(): number {
    return this.#aside.takenBack
  }

  follow(onSetAside: TroubleListener, onTakenBack?: TroubleListener): void {
    this.#aside.follow(onSetAside, onTakenBack)
  }

  /** Notifies the writing thread of unreadable days found at the start, which are in no table. */
  begin(): void {
    for (const trouble of this.#aside.list) {
      if (trouble.kind !== 'unreadable') continue
      this.#tellWriter(trouble)
      this.#unreadable.add(trouble.day)
    }
  }

  /** One thread has found it; all others are notified. */
  setAside(trouble: DayTrouble, { isWriterTold = false } = {}): void {
    if (!this.#aside.add(trouble)) return
    const { users, folder } = this.#deps
    users.setAside(trouble.day)
    if (!isWriterTold) this.#tellWriter(trouble)
    if (trouble.kind === 'unreadable') {
      folder.troubles.note(trouble)
      this.#unreadable.add(trouble.day)
    } else {
      this.#forgetUnreadable(trouble.day)
    }
  }

  /** To a new writing thread: the one before may not have been able to write them down. */
  tellWriter(): void {
    for (const trouble of this.#aside.list) this.#tellWriter(trouble)
  }

  /** Compares the files with the manifest, and tries to read the unreadable ones. */
  async check(): Promise<void> {
    for (const { day, kind } of this.#aside.list) {
      if (kind === 'unreadable') await this.#inTurn(() => this.#checkAgain(day)).catch(() => undefined)
    }
    await this.#callForDays({ kind: 'checkDays', nowMs: this.#deps.clock() })
  }

  accept(day: Day): Promise<void> {
    return this.#callForDays({ kind: 'acceptDay', day, nowMs: this.#deps.clock() })
  }

  /**
   * Settles the days that end before the time, which retention will remove: a damaged one is repaired, so that its events are counted,
   * a missing or emptied one is accepted. All others, and those for which that fails, stay set aside.
   */
  async settleBefore(timeMs: number): Promise<void> {
    for (const { day, kind } of this.#aside.list) {
      if (endOfDayMs(day) > timeMs) continue
      const settled =
        kind === 'damaged' ? this.repair(day) : kind === 'missing' || kind === 'emptied' ? this.accept(day) : undefined
      await settled?.catch(() => undefined)
    }
  }

  repair(day: Day, onProgress?: (percent: number) => void): Promise<DayRepair> {
    return this.#inTurn(() => this.#repair(day, onProgress))
  }

  /** Interrupts a repair and a check. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#unreadable.close()
    await this.#previous
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#previous.then(work)
    this.#previous = result.catch(() => undefined)
    return result
  }

  /** True if nothing is left to check: it is used again, or known to be damaged. */
  async #checkAgain(day: Day): Promise<boolean> {
    const { dataDir, users, clock } = this.#deps
    if (this.#aside.find(day)?.kind !== 'unreadable') return true
    await users.closeDay(day)
    const finding = await this.#work.check({ dataDir, day }, this.#closing.signal)
    if (finding?.verdict === 'unreadable') return false
    const nowMs = clock()
    await users.call(finding ? { kind: 'recordFinding', finding, nowMs } : { kind: 'checkDays', nowMs })
    this.#forgetUnreadable(day)
    this.#learnTroubles([day])
    return true
  }

  async #repair(day: Day, onProgress?: (percent: number) => void): Promise<DayRepair> {
    const { dataDir, folder, users, clock } = this.#deps
    const before = this.#aside.find(day)
    requireRepairable(before)
    const setAside = async () => {
      const trouble = before ?? damagedDay(day, new Error('it is being repaired'), clock())
      this.#aside.add(trouble)
      users.setAside(day)
      await users.call({ kind: 'setAside', trouble })
      await users.closeDay(day)
    }
    const takeBack = () => this.#takeBack(day)
    const { signal } = this.#closing
    try {
      return await this.#work.repair({ dataDir, files: folder.files, setAside, takeBack, signal }, day, onProgress)
    } catch (error) {
      // A day without a trouble has none because its repair failed.
      if (!before && this.#aside.find(day) && !signal.aborted) await takeBack()
      throw error
    }
  }

  #tellWriter(trouble: DayTrouble): void {
    void this.#deps.users.call({ kind: 'setAside', trouble }).catch(() => undefined)
  }

  async #takeBack(day: Day): Promise<void> {
    await this.#deps.users.call({ kind: 'takeBack', day })
    this.#forgetUnreadable(day)
    this.#aside.remove(day)
    this.#deps.users.takeBack(day)
  }

  #forgetUnreadable(day: Day): void {
    this.#unreadable.remove(day)
    this.#deps.folder.troubles.forgetUnreadable(day)
  }

  /** Sets days aside or takes them back, and has the readers list them again. */
  async #callForDays(call: Extract<WriterCall, { readonly kind: 'checkDays' | 'acceptDay' }>): Promise<void> {
    const before = this.#aside.list.map(({ day }) => day)
    try {
      await this.#deps.users.call(call)
    } finally {
      this.#learnTroubles(before)
    }
  }

  /** As the writing thread has noted them; `before`: days that it may have taken back. */
  #learnTroubles(before: readonly Day[]): void {
    const { folder, users } = this.#deps
    const now = folder.troubles.list()
    for (const trouble of now) this.setAside(trouble, { isWriterTold: true })
    for (const day of before) {
      if (now.some((trouble) => trouble.day === day)) continue
      this.#aside.remove(day)
      users.takeBack(day)
    }
  }
}
