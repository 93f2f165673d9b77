/** One walk over all pages after the other, over all domains in turn. */
import { setTimeout as delay } from 'node:timers/promises'
import { type ReaderOptions, walk } from './readers.ts'

/** Between walks and pages: a walk goes on during several faults, and leaves time for what is written. Each page is a thousand events. */
const PAUSE_MS = 1000

export class RepeatedWalks {
  readonly #ended: Promise<number>
  /** Never resolves. */
  readonly failed: Promise<never>
  #isFinished = false

  constructor(readers: ReaderOptions, domains: readonly string[], window: Readonly<Record<string, string>>) {
    this.#ended = this.#run(readers, domains, window)
    this.failed = new Promise((_, reject) => void this.#ended.catch(reject))
    this.failed.catch(() => undefined)
  }

  /** Returns the number of walks. */
  finish(): Promise<number> {
    this.#isFinished = true
    return this.#ended
  }

  async #run(readers: ReaderOptions, domains: readonly string[], window: Readonly<Record<string, string>>) {
    let walks = 0
    for (; !this.#isFinished; walks++) {
      await walk(readers, domains[walks % domains.length] ?? '', window, () => this.#pause())
      await this.#pause()
    }
    return walks
  }

  /** The walk that is under way at the end hurries: it may have a thousand pages left. */
  async #pause(): Promise<void> {
    if (!this.#isFinished) await delay(PAUSE_MS)
  }
}
