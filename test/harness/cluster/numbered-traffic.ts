/** Events that follow from their number, in batches: what was acknowledged, and whether a listing has all of it once. */
import assert from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import { createTraffic } from '../log/traffic.ts'

const MESSAGES_PER_BATCH = 720
/** At most four events of a message, each of another type. */
const EVENTS_PER_MESSAGE = 4
/** Of traffic.ts. */
const COURSES = 4
const DAYS = [0, 1]

export class NumberedTraffic {
  readonly #domains: readonly string[]
  readonly #now: number
  /** Domains and types repeat after so many messages. */
  readonly #patterns: readonly (readonly EmailEvent[])[]
  readonly #acknowledged = new Set<number>()
  #batches = 0
  acknowledgedEvents = 0

  constructor(domains: readonly string[], now: number) {
    this.#domains = domains
    this.#now = now
    this.#patterns = Array.from({ length: COURSES * domains.length }, (_, number) => this.#message(number))
  }

  /** Returns its number. */
  nextBatch(): number {
    return this.#batches++
  }

  get batches(): number {
    return this.#batches
  }

  eventsOf(batch: number): readonly EmailEvent[] {
    const numbers = Array.from({ length: MESSAGES_PER_BATCH }, (_, index) => batch * MESSAGES_PER_BATCH + index)
    return numbers.flatMap((number) => this.#message(number))
  }

  acknowledge(batch: number): void {
    if (this.#acknowledged.has(batch)) return
    this.#acknowledged.add(batch)
    this.acknowledgedEvents += this.eventsOf(batch).length
  }

  isAcknowledged(batch: number): boolean {
    return this.#acknowledged.has(batch)
  }

  /** As of now. */
  get acknowledged(): readonly number[] {
    return [...this.#acknowledged]
  }

  /** The first event of these batches that was not seen; of one domain or all. */
  findMissing(seen: SeenEvents, batches: readonly number[], domain?: string): EmailEvent | undefined {
    for (const batch of batches) {
      for (let number = batch * MESSAGES_PER_BATCH; number < (batch + 1) * MESSAGES_PER_BATCH; number++) {
        const pattern = this.#patterns[number % this.#patterns.length] ?? []
        if (domain !== undefined && pattern[0]?.domain_name !== domain) continue
        const step = pattern.findIndex((_, index) => !seen.has(number, index))
        if (step !== -1) return this.#message(number)[step]
      }
    }
    return undefined
  }

  startSeeing(): SeenEvents {
    return new SeenEvents((number) => this.#message(number))
  }

  #message(number: number): readonly EmailEvent[] {
    return createTraffic({ domains: this.#domains, now: this.#now, firstNumber: number }).nextBatch(1, DAYS)
  }
}

/** Fails at the first event that was never sent, was changed or comes twice. */
export class SeenEvents {
  readonly #messageOf: (number: number) => readonly EmailEvent[]
  readonly #seen = new Set<number>()

  constructor(messageOf: (number: number) => readonly EmailEvent[]) {
    this.#messageOf = messageOf
  }

  get size(): number {
    return this.#seen.size
  }

  see(event: EmailEvent): void {
    const number = Number(event.id.slice(0, 8))
    const message = this.#messageOf(number)
    const step = message.findIndex(({ type }) => type === event.type)
    assert(isSame(message[step], event), `never sent: ${JSON.stringify(event)}`)
    const mark = number * EVENTS_PER_MESSAGE + step
    assert(!this.#seen.has(mark), `seen twice: ${JSON.stringify(event)}`)
    this.#seen.add(mark)
  }

  has(number: number, step: number): boolean {
    return this.#seen.has(number * EVENTS_PER_MESSAGE + step)
  }
}

/** Events of this traffic have no nested values. To compare a million of them in depth takes seconds. */
function isSame(sent: EmailEvent | undefined, got: EmailEvent): boolean {
  if (sent === undefined) return false
  const fields = Object.entries(sent)
  const values = got as unknown as Readonly<Record<string, unknown>>
  return fields.length === Object.keys(got).length && fields.every(([name, value]) => values[name] === value)
}
