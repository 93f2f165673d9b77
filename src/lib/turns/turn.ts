/** A stretch of work on the thread, which lets others run once it has lasted for its share. */
import { nextTurn } from './next-turn.ts'

const TURN_MS = 4

export class Turn {
  #endsAtMs = performance.now() + TURN_MS

  /** For loops whose rounds are so short that awaiting would be felt. */
  get isOver(): boolean {
    return performance.now() > this.#endsAtMs
  }

  async share(): Promise<void> {
    if (!this.isOver) return
    await nextTurn()
    this.#endsAtMs = performance.now() + TURN_MS
  }
}
