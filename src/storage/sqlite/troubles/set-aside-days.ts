/** The days that are set aside, as the serving thread knows them: in memory, because every answer asks. */
import type { DayTrouble } from '../../storage.ts'
import type { Day } from '../days/day.ts'

export type TroubleListener = (trouble: DayTrouble) => void

export class SetAsideDays {
  /** Newest day first. */
  #list: readonly DayTrouble[]
  readonly #onSetAside = new Set<TroubleListener>()
  readonly #onTakenBack = new Set<TroubleListener>()
  /** Days that are used again. */
  takenBack = 0

  constructor(found: readonly DayTrouble[]) {
    this.#list = found
  }

  get list(): readonly DayTrouble[] {
    return this.#list
  }

  find(day: Day): DayTrouble | undefined {
    return this.#list.find((trouble) => trouble.day === day)
  }

  /** False if the day is set aside already. The first reason stays, unless it was that the disk did not return it. */
  add(trouble: DayTrouble): boolean {
    const before = this.find(trouble.day)
    if (before && (before.kind !== 'unreadable' || trouble.kind === 'unreadable')) return false
    const others = this.#list.filter(({ day }) => day !== trouble.day)
    this.#list = [...others, trouble].sort((a, b) => (a.day < b.day ? 1 : -1))
    for (const listener of this.#onSetAside) listener(trouble)
    return true
  }

  /** The day is used again. */
  remove(day: Day): void {
    const trouble = this.find(day)
    if (!trouble) return
    this.#list = this.#list.filter((other) => other !== trouble)
    this.takenBack++
    for (const listener of this.#onTakenBack) listener(trouble)
  }

  /** Calls the first listener for each day that is set aside now, and then for each that will be. */
  follow(onSetAside: TroubleListener, onTakenBack: TroubleListener = () => undefined): void {
    for (const trouble of this.#list) onSetAside(trouble)
    this.#onSetAside.add(onSetAside)
    this.#onTakenBack.add(onTakenBack)
  }
}
