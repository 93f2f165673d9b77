/** Some days of the log cannot be written for now: the events of these days are refused, and all others of the call are stored. */
import { PartlyStoredError } from './partly-stored.ts'

/** Repairing a day takes a person: senders that retry sooner would only repeat what is stored already. */
const RETRY_SECONDS = 60
/** A request may have events of a hundred days. */
const NAMED_MAX = 5

export class DaysUnavailableError extends PartlyStoredError {
  /** YYYY-MM-DD. */
  readonly days: readonly string[]

  constructor(days: readonly string[], stored = 0) {
    const named = days.slice(0, NAMED_MAX).join(', ')
    const more = days.length > NAMED_MAX ? ` and ${days.length - NAMED_MAX} more days` : ''
    super(
      stored,
      `Events of ${named}${more} cannot be stored at the moment: ${days.length === 1 ? 'the day is' : 'these days are'} set aside. ` +
        'All other events of the request are stored. Send the same request again later; nothing is stored twice.',
      { retryAfterSeconds: RETRY_SECONDS },
    )
    this.days = days
  }
}
