/** The failures of a run, for its end: in an output of thousands of lines nobody finds them where they happened. */
import { inspect } from 'node:util'

/** Enough for a difference or the frames of the test; the whole error is where it happened. */
const LINES_SHOWN = 25
const CHARACTERS_SHOWN = 3000

export class Failures {
  readonly #texts: string[] = []

  get count(): number {
    return this.#texts.length
  }

  /** `file`: undefined if it is not known. */
  add(file: string | undefined, name: string, error: unknown): void {
    // What the runner throws says only that the test has failed.
    const cause = error instanceof Error ? (error.cause ?? error) : error
    const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 3 })
    const lines = text.slice(0, CHARACTERS_SHOWN).split('\n').slice(0, LINES_SHOWN)
    this.#texts.push([`${file ?? ''}: ${name}`, ...lines].join('\n  '))
  }

  /** Empty without any. */
  write(): string {
    return this.#texts.map((text) => `\nfailed: ${text}\n`).join('')
  }
}
