/** Answers that are expensive and may be some seconds old: whoever asks meanwhile shares one. Bounded by number and age. */
interface Answer<T> {
  readonly value: Promise<T>
  readonly madeAtMs: number
}

export class BriefAnswers<T> {
  readonly #lastMs: number
  readonly #entriesMax: number
  readonly #answers = new Map<string, Answer<T>>()

  constructor({ lastMs, entriesMax }: { readonly lastMs: number; readonly entriesMax: number }) {
    this.#lastMs = lastMs
    this.#entriesMax = entriesMax
  }

  /** Failures are not kept. */
  async find(key: string, make: () => Promise<T>): Promise<T> {
    const nowMs = performance.now()
    const known = this.#answers.get(key)
    if (known && nowMs - known.madeAtMs < this.#lastMs) return known.value
    this.#answers.delete(key)
    for (const [oldest] of this.#answers) {
      if (this.#answers.size < this.#entriesMax) break
      this.#answers.delete(oldest)
    }
    const answer = { value: make(), madeAtMs: nowMs }
    this.#answers.set(key, answer)
    try {
      return await answer.value
    } catch (error) {
      if (this.#answers.get(key) === answer) this.#answers.delete(key)
      throw error
    }
  }
}
