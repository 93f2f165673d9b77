/** The end of a budget of time. */
export class Deadline {
  readonly #endsAtMs: number

  constructor(budgetMs: number) {
    this.#endsAtMs = performance.now() + budgetMs
  }

  /** Negative once it is over. */
  get leftMs(): number {
    return this.#endsAtMs - performance.now()
  }
}
