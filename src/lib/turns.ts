/** Lets a limited number of pieces of work run at a time; the others wait for their turn, first come, first served. */
export class Turns {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      // A turn is handed on, not given back, so that nobody slips in between.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
