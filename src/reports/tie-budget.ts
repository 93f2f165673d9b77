/** What tying one report to a message may cost, whatever the report contains and however large the message's mailing was. */

export const TIE_LIMITS = {
  /** Different references of known sender domains. A report has the same one in several places, rarely a second one. */
  references: 10,
  /** Each is an HMAC, about ten microseconds. */
  signatures: 600,
  /** Events read to learn the recipients of messages. */
  events: 1000,
  /** Single recipients looked up in a message that has more events. */
  lookups: 10,
} as const

type Resource = keyof typeof TIE_LIMITS

/** Only for the recipients that a report names, and for the message as a whole: the log is not searched for others. */
export const NAMED_ONLY: Readonly<Record<Resource, number>> = { references: 10, signatures: 60, events: 0, lookups: 1 }

export class TieBudget {
  readonly #limits: Readonly<Record<Resource, number>>
  readonly #left: Record<Resource, number>
  #isExceeded = false

  constructor(limits: Readonly<Record<Resource, number>> = TIE_LIMITS) {
    this.#limits = limits
    this.#left = { ...limits }
  }

  /** Whether something was left out because of a limit. */
  get isExceeded(): boolean {
    return this.#isExceeded
  }

  has(resource: Resource): boolean {
    return this.#left[resource] > 0
  }

  /** How many of them are granted. */
  take(resource: Resource, wanted: number): number {
    const granted = Math.min(wanted, this.#left[resource])
    this.#left[resource] -= granted
    if (granted < wanted) this.#isExceeded = true
    return granted
  }

  /** An estimate of the processor time spent, in milliseconds. */
  get spentMs(): number {
    const used = (resource: Resource) => this.#limits[resource] - this.#left[resource]
    return used('signatures') * 0.015 + used('events') * 0.01 + used('lookups') * 10
  }
}
