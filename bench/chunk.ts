/** A part of the traffic made ready for both sides before any clock runs: posts for us, COPY batches for the peer. */
import type { EmailEvent } from '../src/events/event.ts'
import { toCopyLine } from './peer/peer-event.ts'
import type { TrafficCount } from './traffic.ts'

const POST_EVENTS = 100
const COPY_EVENTS = 1000

export interface Chunk {
  readonly events: number
  /** Bodies of posts of 100 events, one per line. */
  readonly posts: readonly Buffer[]
  readonly copies: readonly Buffer[]
  readonly last: EmailEvent
}

export class ChunkMaker {
  readonly #traffic: Iterator<EmailEvent>
  readonly #domains: ReadonlyMap<string, number>
  readonly #count: TrafficCount
  readonly #onEvent: (event: EmailEvent) => void
  #arrival = 0

  constructor(
    traffic: Iterable<EmailEvent>,
    domains: ReadonlyMap<string, number>,
    count: TrafficCount,
    onEvent: (event: EmailEvent) => void,
  ) {
    this.#traffic = traffic[Symbol.iterator]()
    this.#domains = domains
    this.#count = count
    this.#onEvent = onEvent
  }

  next(events: number): Chunk {
    const posts = new PostMaker()
    const copies = new CopyMaker()
    let last: EmailEvent | undefined
    for (let made = 0; made < events; made++) {
      const { value: event, done } = this.#traffic.next() as IteratorResult<EmailEvent, undefined>
      if (done) throw new Error('there is no more traffic')
      const json = JSON.stringify(event)
      this.#count.add(event, Buffer.byteLength(json))
      this.#onEvent(event)
      posts.add(event, json)
      copies.add(toCopyLine(event, this.#domains.get(event.domain_name) ?? 0, ++this.#arrival))
      last = event
    }
    if (!last) throw new Error('a chunk holds at least one event')
    return { events, posts: posts.finish(), copies: copies.finish(), last }
  }
}

/**
 * Events of one domain and one second stay in one post, which may make it a few events longer: posts travel side by side,
 * and the order of equal times is the order of arrival, which has to be the same on both sides.
 */
class PostMaker {
  readonly #posts: Buffer[] = []
  #lines: string[] = []
  #last: EmailEvent | undefined

  add(event: EmailEvent, json: string): void {
    const isTied = event.timestamp === this.#last?.timestamp && event.domain_name === this.#last.domain_name
    if (this.#lines.length >= POST_EVENTS && !isTied) this.#flush()
    this.#lines.push(json)
    this.#last = event
  }

  finish(): readonly Buffer[] {
    if (this.#lines.length > 0) this.#flush()
    return this.#posts
  }

  #flush(): void {
    this.#posts.push(Buffer.from(this.#lines.join('\n')))
    this.#lines = []
  }
}

class CopyMaker {
  readonly #copies: Buffer[] = []
  #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length === COPY_EVENTS) this.#flush()
  }

  finish(): readonly Buffer[] {
    if (this.#lines.length > 0) this.#flush()
    return this.#copies
  }

  #flush(): void {
    this.#copies.push(Buffer.from(this.#lines.join('')))
    this.#lines = []
  }
}
