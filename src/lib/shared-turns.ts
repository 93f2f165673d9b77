/**
 * Divides work that keeps the thread busy over turns of the event loop, all who do such work together: in each turn so much
 * of it is done, and what else has arrived is dealt with before the next. Work that fits into the turn begins at once.
 */
export class SharedTurns {
  readonly #perTurn: number
  readonly #waiting: { readonly amount: number; readonly begin: () => void }[] = []
  #doneInTurn = 0
  #isTurnEnding = false

  /** `perTurn`: in whatever unit callers count their work. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn
  }

  /** Undefined when the work may begin now; otherwise wait until it may. First come, first served. */
  take(amount: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#fits(amount)) {
      this.#begin(amount)
      return undefined
    }
    return new Promise((begin) => this.#waiting.push({ amount, begin }))
  }

  /** One that is larger than a turn gets one of its own. */
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
