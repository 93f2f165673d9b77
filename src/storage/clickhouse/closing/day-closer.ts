/** Closes days every hour. Every server does; whoever is first has done it for all. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../lib/app-error.ts'
import type { Clock } from '../../../lib/clock.ts'
import { BudgetError } from '../server/clickhouse.ts'
import { type ClosingDeps, closeDays, lastDayToClose } from './close-days.ts'

/** Servers that start have other things to catch up with. */
const FIRST_AFTER_MS = 600_000
const EVERY_MS = 3_600_000

export interface DayCloserDeps extends ClosingDeps {
  readonly clock: Clock
  /** A bug: that the databases cannot be used at the moment is noticed elsewhere, and the next run continues. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Default: ten minutes. */
  readonly firstAfterMs?: number
}

export class DayCloser {
  readonly #deps: DayCloserDeps
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  private constructor(deps: DayCloserDeps) {
    this.#deps = deps
    this.#running = this.#run()
  }

  static start(deps: DayCloserDeps): DayCloser {
    return new DayCloser(deps)
  }

  /** Waits for the days that are being closed. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const wait = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
    await wait(this.#deps.firstAfterMs ?? FIRST_AFTER_MS)
    while (!signal.aborted) {
      await this.#close()
      await wait(EVERY_MS)
    }
  }

  async #close(): Promise<void> {
    const { clock, onError } = this.#deps
    try {
      await closeDays(this.#deps, lastDayToClose(clock()), this.#stopping.signal)
    } catch (error) {
      if (!(error instanceof AppError || error instanceof BudgetError)) onError?.(error)
    }
  }
}
