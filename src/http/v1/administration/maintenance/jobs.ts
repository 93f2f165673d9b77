/** Long jobs of the operator that exclude each other. */
import { AppError } from '../../../../lib/app-error.ts'

export const ROTATION = 'rotation of the secret'

export class Jobs {
  readonly #running = new Set<string>()

  /** Runs until it is disposed of. Throws AppError `conflict` while this job, or one of `others`, is running. */
  begin(name: string, ...others: readonly string[]): Disposable {
    const running = [name, ...others].find((job) => this.#running.has(job))
    if (running !== undefined) {
      throw new AppError('conflict', `A ${running} is already running; wait until it has finished.`)
    }
    this.#running.add(name)
    return { [Symbol.dispose]: () => void this.#running.delete(name) }
  }
}
