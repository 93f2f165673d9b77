/** What one check has learned about servers, so that it does not wait for the same silence twice. */
import { type Endpoint, formatEndpoint } from './endpoint.ts'

export class SessionMemory {
  readonly #silent = new Set<string>()
  readonly #slow = new Set<string>()
  #hasReachedZone = false
  #hasMissedZone = false

  /** It had its time and said nothing. */
  noteSilent(endpoint: Endpoint): void {
    this.#silent.add(formatEndpoint(endpoint))
  }

  wasSilent(endpoint: Endpoint): boolean {
    return this.#silent.has(formatEndpoint(endpoint))
  }

  /** Another one was asked after it and answered first. */
  noteSlow(endpoint: Endpoint): void {
    this.#slow.add(formatEndpoint(endpoint))
  }

  /** Those that were silent or slow come last, with whatever is asked at them. */
  slowLast<I>(items: readonly I[], endpointsOf: (item: I) => readonly Endpoint[]): readonly I[] {
    const isSlow = (endpoint: Endpoint) => this.wasSilent(endpoint) || this.#slow.has(formatEndpoint(endpoint))
    const rank = (item: I) => Number(endpointsOf(item).every(isSlow))
    return items.toSorted((a, b) => rank(a) - rank(b))
  }

  noteZone({ isReached }: { readonly isReached: boolean }): void {
    if (isReached) this.#hasReachedZone = true
    else this.#hasMissedZone = true
  }

  /** No zone's servers could be reached so far. Many networks let nothing but their own resolver speak DNS. */
  get isCutOff(): boolean {
    return this.#hasMissedZone && !this.#hasReachedZone
  }
}
