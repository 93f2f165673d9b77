/**
 * How long the attempts of one search may take. The first one may take longer than the budget, and twice as long each time it fails:
 * otherwise a slow cluster would be asked for less and less, and following the positions would never reach the end. One that does not
 * answer at all is given up soon after the budget.
 */
import { AppError } from '../../../lib/app-error.ts'

const FIRST_ATTEMPT_MS = 250
const LATER_ATTEMPT_MS = 50
const GRACE_MS = 10_000

export class SearchTime {
  readonly #deadline: number
  /** In a row. */
  #failures = 0

  constructor(budgetMs: number) {
    this.#deadline = performance.now() + budgetMs
  }

  get isUsedUp(): boolean {
    return performance.now() > this.#deadline
  }

  /** Milliseconds for the next attempt. `hasSearched`: if it fails, there is something to answer with. */
  next(hasSearched: boolean): number {
    const left = Math.ceil(this.#deadline - performance.now())
    if (hasSearched) return Math.max(left, LATER_ATTEMPT_MS)
    // Half of it: a shorter one may follow.
    return Math.max(left >> 1, Math.min(FIRST_ATTEMPT_MS * 2 ** this.#failures, left + GRACE_MS), LATER_ATTEMPT_MS)
  }

  succeed(): void {
    this.#failures = 0
  }

  /** Throws AppError `overloaded` if there is no time for another attempt. */
  fail(cause: unknown): void {
    this.#failures++
    if (performance.now() < this.#deadline + GRACE_MS) return
    throw new AppError('overloaded', 'The event store takes too long to search. Send the same request again later.', {
      cause,
    })
  }
}
