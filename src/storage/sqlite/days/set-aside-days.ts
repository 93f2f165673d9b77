/** The days that are set aside, as the serving thread knows them: in memory, because every answer asks. */
import type { DayTrouble } from '../../storage.ts'
import type { Day } from './day.ts'

export type TroubleListener = (trouble: DayTrouble) => void

export class SetAsideDays {
  /** Newest day first. */
  #list: readonly DayTrouble[]
  readonly #listeners = new Set<TroubleListener>()

  constructor(found: readonly DayTrouble[]) {
    this.#list = found
  }

  get list(): readonly DayTrouble[] {
    return this.#list
  }

  find(day: Day): DayTrouble | undefined {
    return this.#list.find((trouble) => trouble.day === day)
  }

  /** False if the day is set aside already: the first reason stays. */
  add(trouble: DayTrouble): boolean {
    if (this.find(trouble.day)) return false
    this.#list = [...this.#list, trouble].sort((a, b) => (a.day < b.day ? 1 : -1))
    for (const listener of this.#listeners) listener(trouble)
    return true
  }

  remove(day: Day): void {
    this.#list = this.#list.filter((trouble) => trouble.day !== day)
  }

  /** Calls the listener for each day that is set aside now, and then for each that will be. */
  follow(listener: TroubleListener): void {
    for (const trouble of this.#list) listener(trouble)
    this.#listeners.add(listener)
  }
}
