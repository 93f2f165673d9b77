/** A part of the traffic, prepared for both sides before it is timed: posts for us, COPY batches for the peer. */
import type { EmailEvent } from '../../src/events/event.ts'
import { toCopyLine } from '../peer/peer-event.ts'
import { POST_EVENTS } from '../traffic/fresh-events.ts'

const COPY_EVENTS = 1000

export interface Chunk {
  readonly events: number
  /** Bodies of posts of 100 events, one per line. */
  readonly posts: readonly Buffer[]
  readonly copies: readonly Buffer[]
  readonly last: EmailEvent
}

export class ChunkMaker {
  readonly #traffic: Iterator<EmailEvent, undefined>
  readonly #domains: ReadonlyMap<string, number>
  readonly #onEvent: (event: EmailEvent, json: string) => void
  #arrival = 0

  constructor(
    traffic: Iterable<EmailEvent, undefined>,
    domains: ReadonlyMap<string, number>,
    onEvent: (event: EmailEvent, json: string) => void,
  ) {
    this.#traffic = traffic[Symbol.iterator]()
    this.#domains = domains
    this.#onEvent = onEvent
  }

  next(events: number): Chunk {
    const posts = new Batches('\n')
    const copies = new Batches('')
    let last: EmailEvent | undefined
    for (let made = 0; made < events; made++) {
      const { value: event } = this.#traffic.next()
      if (!event) throw new Error('the traffic has ended')
      const json = JSON.stringify(event)
      this.#onEvent(event, json)
      // The events of one second stay in one post, which may make it a few events longer: posts are sent concurrently, and
      // events of the same second are listed in the order of arrival, which has to be the same on both sides.
      posts.add(json, posts.size >= POST_EVENTS && event.timestamp !== last?.timestamp)
      const line = toCopyLine(event, this.#domains.get(event.domain_name) ?? 0, ++this.#arrival)
      copies.add(line, copies.size === COPY_EVENTS)
      last = event
    }
    if (!last) throw new Error('a chunk has at least one event')
    return { events, posts: posts.finish(), copies: copies.finish(), last }
  }
}

class Batches {
  readonly #separator: string
  readonly #batches: Buffer[] = []
  #lines: string[] = []

  constructor(separator: string) {
    this.#separator = separator
  }

  /** Lines in the current batch. */
  get size(): number {
    return this.#lines.length
  }

  add(line: string, startsBatch: boolean): void {
    if (startsBatch) this.finish()
    this.#lines.push(line)
  }

  finish(): readonly Buffer[] {
    if (this.#lines.length > 0) this.#batches.push(Buffer.from(this.#lines.join(this.#separator)))
    this.#lines = []
    return this.#batches
  }
}
