/** A time slice on the thread: once it is used up, other work may run. */
import { nextTurn } from './next-turn.ts'

const TURN_MS = 4

export class Turn {
  #endsAtMs = performance.now() + TURN_MS

  /** For loops with iterations so short that awaiting in each would cost noticeable time. */
  get isOver(): boolean {
    return performance.now() > this.#endsAtMs
  }

  async share(): Promise<void> {
    if (!this.isOver) return
    await nextTurn()
    this.#endsAtMs = performance.now() + TURN_MS
  }
}
