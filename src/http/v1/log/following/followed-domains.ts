/** Which domains the open streams follow. Streams of one tenant with the same domain parameters share an entry. */
import type { LogDomain } from '../../../../events/log/log-query.ts'
import { Turn } from '../../../../lib/turns/turn.ts'

/** What a stream asked for: the domains with these names, or all of the tenant. */
export interface AskedDomains {
  /** The tenant, or who stands for it. */
  readonly tenantId: string
  /** The ids of the tenants that an operator follows. Absent: all. */
  readonly tenants?: readonly string[] | undefined
  readonly names: readonly string[] | undefined
  /** Names of domains to leave out. */
  readonly withoutNames?: readonly string[] | undefined
}

/** Throws AppError `domain_not_found`. */
export type FindDomains = (asked: AskedDomains) => Promise<readonly LogDomain[]>

interface Entry<Stream> {
  readonly key: string
  readonly asked: AskedDomains
  readonly streams: Set<Stream>
  domains: readonly LogDomain[]
}

const NONE: readonly LogDomain[] = []

export class FollowedDomains<Stream> {
  readonly #find: FindDomains
  readonly #onChange: (stream: Stream) => void
  readonly #entries = new Map<string, Entry<Stream>>()
  readonly #entryOf = new Map<Stream, Entry<Stream>>()
  readonly #byNumber = new Map<number, Set<Entry<Stream>>>()

  /** `onChange` is called for every stream whose domains have changed. */
  constructor(find: FindDomains, onChange: (stream: Stream) => void) {
    this.#find = find
    this.#onChange = onChange
  }

  get streams(): Iterable<Stream> {
    return this.#entryOf.keys()
  }

  add(stream: Stream, asked: AskedDomains): void {
    const key = JSON.stringify([asked.tenantId, asked.tenants, asked.names, asked.withoutNames])
    const entry = this.#entries.get(key) ?? { key, asked, streams: new Set(), domains: [] }
    this.#entries.set(key, entry)
    entry.streams.add(stream)
    this.#entryOf.set(stream, entry)
  }

  delete(stream: Stream): void {
    const entry = this.#entryOf.get(stream)
    this.#entryOf.delete(stream)
    if (!entry?.streams.delete(stream) || entry.streams.size > 0) return
    this.#entries.delete(entry.key)
    this.#replace(entry, [])
  }

  /** The domains as they are now, those added since included; the same array if nothing has changed. */
  async lookUp(stream: Stream): Promise<readonly LogDomain[]> {
    const entry = this.#entryOf.get(stream)
    if (!entry) return NONE
    await this.#refresh(entry)
    return entry.domains
  }

  /** The streams that follow one of these domains. */
  *listStreams(domainNumbers: ReadonlySet<number>): Generator<Stream> {
    for (const number of domainNumbers) {
      for (const { streams } of this.#byNumber.get(number) ?? []) yield* streams
    }
  }

  /** Looks up all domains again, once for each entry. Yields the streams for which this failed. */
  async *refresh(): AsyncGenerator<{ readonly streams: readonly Stream[]; readonly error: unknown }> {
    const turn = new Turn()
    for (const entry of this.#entries.values()) {
      try {
        await this.#refresh(entry)
      } catch (error) {
        yield { streams: [...entry.streams], error }
      }
      await turn.share()
    }
  }

  async #refresh(entry: Entry<Stream>): Promise<void> {
    const domains = await this.#find(entry.asked)
    // The last stream may have ended meanwhile.
    if (entry.streams.size === 0 || isSame(domains, entry.domains)) return
    this.#replace(entry, domains)
    for (const stream of entry.streams) this.#onChange(stream)
  }

  #replace(entry: Entry<Stream>, domains: readonly LogDomain[]): void {
    for (const { number } of entry.domains) {
      const entries = this.#byNumber.get(number)
      entries?.delete(entry)
      if (entries?.size === 0) this.#byNumber.delete(number)
    }
    entry.domains = domains
    for (const { number } of domains) {
      this.#byNumber.set(number, (this.#byNumber.get(number) ?? new Set()).add(entry))
    }
  }
}

/** Usually the same array: the store caches it until a domain is changed. */
function isSame(some: readonly LogDomain[], others: readonly LogDomain[]): boolean {
  if (some === others) return true
  const isDomain = ({ number, name }: LogDomain, at: number) =>
    others[at]?.number === number && others[at].name === name
  return some.length === others.length && some.every(isDomain)
}
