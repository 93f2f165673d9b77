/** All addresses of ClickHouse: a request goes to one that answers, those that failed last are tried last. */
import type { Address, ServerRequest } from './address.ts'
import { clickHouseUnavailable, failureKindOf, toThrown } from './clickhouse-failure.ts'
import { ShardAddresses } from './shard-addresses.ts'

export class Addresses {
  readonly #addresses: readonly Address[]
  #next = 0
  #failovers = 0

  constructor(addresses: readonly Address[]) {
    this.#addresses = addresses
  }

  get size(): number {
    return this.#addresses.length
  }

  get usable(): number {
    return this.#addresses.filter(({ isAvoided }) => !isAvoided).length
  }

  get failovers(): number {
    return this.#failovers
  }

  /** For requests that may be repeated: tries one address after the other. */
  any(request: ServerRequest, among = this.#addresses): Promise<string> {
    return this.#attempt(request, () => true, among)
  }

  /** For requests that the caller repeats: another address is tried only if nothing was sent to the first. */
  once(request: ServerRequest, among = this.#addresses): Promise<string> {
    return this.#attempt(request, (kind) => kind === 'refused', among)
  }

  shardsOf(cluster: string): ShardAddresses {
    return new ShardAddresses(this.#addresses, cluster)
  }

  /** The responses of those that answer. Throws if none of them does. */
  async all(request: ServerRequest): Promise<readonly string[]> {
    const results = await Promise.allSettled(this.#addresses.map((address) => address.request(request)))
    const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    if (answers.length > 0) return answers
    const failure = results.find((result) => result.status === 'rejected')
    throw toThrown(failure?.reason ?? clickHouseUnavailable(undefined))
  }

  close(): void {
    for (const address of this.#addresses) address.close()
  }

  async #attempt(
    request: ServerRequest,
    mayRepeat: (kind: ReturnType<typeof failureKindOf>) => boolean,
    among: readonly Address[],
  ): Promise<string> {
    let failure: unknown
    let notStrict: unknown
    for (const address of this.#inOrder(among)) {
      if (failure !== undefined) this.#failovers += 1
      try {
        return await address.request(request)
      } catch (error) {
        failure = error
        const kind = failureKindOf(error)
        // Not the fault of the server.
        if (kind === 'bug' || kind === 'budget' || request.signal.aborted) throw error
        if (kind === 'strict') notStrict = error
        address.avoid()
        if (!mayRepeat(kind)) break
      }
    }
    // A server that answers but is not up to date matters more than those that are away: the caller may ask without being strict. Not before all
    // addresses were tried: one that is not among these may be up to date.
    throw (among === this.#addresses ? notStrict : undefined) ?? failure
  }

  /** Takes turns; addresses that are avoided come last. */
  #inOrder(among: readonly Address[]): readonly Address[] {
    const first = this.#next++ % among.length
    const turned = [...among.slice(first), ...among.slice(0, first)]
    return [...turned.filter(({ isAvoided }) => !isAvoided), ...turned.filter(({ isAvoided }) => isAvoided)]
  }
}
