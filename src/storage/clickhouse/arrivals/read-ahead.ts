/**
 * Reads ahead for clients that follow the log in small pages: a query takes nearly as long for a few events as for thousands. The rest of a
 * page is kept for a moment, within a bound for all clients together.
 */
import type { ArrivalPage, ArrivalQuery } from '../../../events/log/event-log.ts'

const EVENTS = 2000
/** Events may have been erased by another server since they were read. */
const KEPT_MS = 2000
/** Characters of all events that are kept. */
const LENGTH_MAX = 64 * 1024 * 1024

interface Rest extends ArrivalPage {
  readonly untilMs: number
  readonly length: number
}

export class ReadAhead {
  readonly #read: (query: ArrivalQuery) => Promise<ArrivalPage>
  /** By what is read and the position before it, oldest first. */
  readonly #kept = new Map<string, Rest>()
  /** A client that follows asks with the same array each time, which may have thousands of domains. */
  readonly #numbers = new WeakMap<ArrivalQuery['domains'], number>()
  #nextNumber = 0
  #length = 0
  #generation = 0

  constructor(read: (query: ArrivalQuery) => Promise<ArrivalPage>) {
    this.#read = read
  }

  async list(query: ArrivalQuery): Promise<ArrivalPage> {
    const { limit } = query
    const generation = this.#generation
    const found = this.#take(this.#keyOf(query, query.after))
    const page = found ?? (await this.#read({ ...query, limit: Math.max(limit, EVENTS) }))
    const last = page.events[limit - 1]
    if (page.events.length <= limit || !last) {
      // What has arrived since it was read may have been announced already: a client that is told that this is all would wait for the next arrival.
      return found ? { ...page, hasMore: true } : page
    }
    const events = page.events.slice(limit)
    const length = events.reduce((sum, { text }) => sum + text.length, 0)
    const rest = { ...page, events, length, untilMs: found?.untilMs ?? performance.now() + KEPT_MS }
    if (generation === this.#generation) this.#keep(this.#keyOf(query, last.position), rest)
    return { events: page.events.slice(0, limit), position: last.position, hasMore: true }
  }

  /** Events were removed. */
  forget(): void {
    this.#generation++
    this.#kept.clear()
    this.#length = 0
  }

  #take(key: string): Rest | undefined {
    const rest = this.#kept.get(key)
    this.#drop(key)
    return rest && rest.untilMs > performance.now() ? rest : undefined
  }

  #keep(key: string, rest: Rest): void {
    this.#drop(key)
    this.#kept.set(key, rest)
    this.#length += rest.length
    for (const [oldest, { untilMs }] of this.#kept) {
      if (this.#length <= LENGTH_MAX && untilMs > performance.now()) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#length -= this.#kept.get(key)?.length ?? 0
    this.#kept.delete(key)
  }

  #keyOf({ domains, filters, shown }: ArrivalQuery, after: string): string {
    const number = this.#numbers.get(domains) ?? this.#nextNumber++
    this.#numbers.set(domains, number)
    return JSON.stringify([number, after, shown, filters])
  }
}
