/** An append that was refused although some of its events are stored: when the caller repeats it, those are duplicates. */
import { AppError } from '../../lib/app-error.ts'

export class PartlyStoredError extends AppError {
  /** Events that are stored, and were not before. */
  readonly stored: number

  constructor(stored: number, message: string, options?: ConstructorParameters<typeof AppError>[2]) {
    super('storage_unavailable', message, options)
    this.stored = stored
  }
}
