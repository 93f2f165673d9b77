/** How many packets a check may send. Without a limit, the owner of a zone would decide. */

export class QueryBudget {
  #left: number
  #isExceeded = false

  constructor(max: number) {
    this.#left = max
  }

  /** For each packet and each TCP connection. False if the budget is used up: then nothing may be sent. */
  spend(): boolean {
    if (this.#left === 0) this.#isExceeded = true
    else this.#left -= 1
    return !this.#isExceeded
  }

  /** Something was not sent. */
  get isExceeded(): boolean {
    return this.#isExceeded
  }
}
