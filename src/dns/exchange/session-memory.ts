/** What one check has learned about servers, so that it does not wait for the same silent server twice. */
import { type Endpoint, formatEndpoint } from './endpoint.ts'
import type { QueryBudget } from './query-budget.ts'

/** What a group of queries works with. */
export interface Means {
  readonly memory: SessionMemory
  readonly budget: QueryBudget
}

export class SessionMemory {
  readonly #silent = new Set<string>()
  readonly #slow = new Set<string>()
  #hasReachedZone = false
  #hasMissedZone = false

  /** It did not answer within its time limit. */
  noteSilent(endpoint: Endpoint): void {
    this.#silent.add(formatEndpoint(endpoint))
  }

  wasSilent(endpoint: Endpoint): boolean {
    return this.#silent.has(formatEndpoint(endpoint))
  }

  /** A server that was queried later answered first. */
  noteSlow(endpoint: Endpoint): void {
    this.#slow.add(formatEndpoint(endpoint))
  }

  /** Moves items to the end if all their endpoints were silent or slow. */
  slowLast<I>(items: readonly I[], endpointsOf: (item: I) => readonly Endpoint[]): readonly I[] {
    const isSlow = (endpoint: Endpoint) => this.wasSilent(endpoint) || this.#slow.has(formatEndpoint(endpoint))
    const rank = (item: I) => Number(endpointsOf(item).every(isSlow))
    return items.toSorted((a, b) => rank(a) - rank(b))
  }

  noteZone({ isReached }: { readonly isReached: boolean }): void {
    if (isReached) this.#hasReachedZone = true
    else this.#hasMissedZone = true
  }

  /** No zone's servers could be reached so far. Many networks allow DNS only through their own resolver. */
  get isCutOff(): boolean {
    return this.#hasMissedZone && !this.#hasReachedZone
  }
}
