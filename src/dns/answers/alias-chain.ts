/** The CNAMEs between the name of the question and its records. */
import type { DnsAlias } from '../../domains/dns-resolver.ts'

/** Resolvers stop at about the same number. */
const ALIASES_MAX = 8

export class AliasChain {
  readonly #aliases: DnsAlias[] = []
  readonly #start: string

  constructor(name: string) {
    this.#start = name
  }

  /** The current end of the chain. */
  get name(): string {
    return this.#aliases.at(-1)?.target ?? this.#start
  }

  get aliases(): readonly DnsAlias[] {
    return [...this.#aliases]
  }

  /** Returns the reason, for people, if the chain loops or is too long. */
  follow(target: string, ttlSeconds: number): string | undefined {
    this.#aliases.push({ name: this.name, target, ttlSeconds })
    const names = [this.#start, ...this.#aliases.map((alias) => alias.target)]
    if (new Set(names).size < names.length) return `the CNAME records form a loop: ${names.join(' -> ')}`
    if (this.#aliases.length <= ALIASES_MAX) return undefined
    return `more than ${ALIASES_MAX} CNAME records in a row: ${names.join(' -> ')}`
  }

  /** Records found through aliases expire with the first of them. */
  limitTtl(ttlSeconds: number): number {
    return Math.min(ttlSeconds, ...this.#aliases.map((alias) => alias.ttlSeconds))
  }
}
