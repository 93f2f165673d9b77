/**
 * Spreads CPU-bound work of all callers over turns of the event loop: each turn has a budget, and other events are handled
 * before the next turn. Work that fits into the current turn starts at once.
 */
export class SharedTurns {
  readonly #perTurn: number
  readonly #waiting: { readonly amount: number; readonly begin: () => void }[] = []
  #doneInTurn = 0
  #isTurnEnding = false

  /** `perTurn`: the budget, in the callers' unit of work. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn
  }

  /** Undefined if the work may start now; otherwise resolves when it may. First come, first served. */
  take(amount: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#fits(amount)) {
      this.#begin(amount)
      return undefined
    }
    return new Promise((begin) => this.#waiting.push({ amount, begin }))
  }

  /** Work larger than the budget gets a turn of its own. */
  #fits(amount: number): boolean {
    return this.#doneInTurn === 0 || this.#doneInTurn + amount <= this.#perTurn
  }

  #begin(amount: number): void {
    this.#doneInTurn += amount
    if (this.#isTurnEnding) return
    this.#isTurnEnding = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isTurnEnding = false
    this.#doneInTurn = 0
    for (let next = this.#waiting[0]; next && this.#fits(next.amount); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#begin(next.amount)
      next.begin()
    }
  }
}
