/** The CNAMEs between the name that was asked for and its records. */
import type { DnsAlias } from '../domains/dns-resolver.ts'

/** More than anybody needs; resolvers give up at about as many. */
const ALIASES_MAX = 8

export class AliasChain {
  readonly #aliases: DnsAlias[] = []
  readonly #start: string

  constructor(name: string) {
    this.#start = name
  }

  /** Where it has led so far. */
  get name(): string {
    return this.#aliases.at(-1)?.target ?? this.#start
  }

  get aliases(): readonly DnsAlias[] {
    return [...this.#aliases]
  }

  follow(target: string, ttlSeconds: number): void {
    this.#aliases.push({ name: this.name, target, ttlSeconds })
  }

  /** Why it leads nowhere, in words for people; undefined as long as it does not. */
  findProblem(): string | undefined {
    const names = [this.#start, ...this.#aliases.map(({ target }) => target)]
    if (new Set(names).size < names.length) return `the CNAME records lead in a circle: ${names.join(' -> ')}`
    if (this.#aliases.length <= ALIASES_MAX) return undefined
    return `more than ${ALIASES_MAX} CNAME records lead on from each other: ${names.join(' -> ')}`
  }

  /** RFC 2181 section 5.2: what was found by way of aliases is worth no more than the shortest of them. */
  limitTtl(ttlSeconds: number): number {
    return Math.min(ttlSeconds, ...this.#aliases.map((alias) => alias.ttlSeconds))
  }
}
