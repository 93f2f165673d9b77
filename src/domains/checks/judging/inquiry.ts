/** The DNS queries of one record's check, recorded for the report. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolver } from '../../dns-resolver.ts'

export class Inquiry {
  readonly #resolver: DnsResolver
  readonly #signal: AbortSignal
  readonly #evidence: DnsEvidence[] = []
  readonly #answers = new Map<string, Promise<DnsAnswer>>()

  constructor(resolver: DnsResolver, signal: AbortSignal) {
    this.#resolver = resolver
    this.#signal = signal
  }

  /** The statements of all servers. */
  async examine<T extends DnsRecordType>(name: string, type: T): Promise<DnsEvidence<T>> {
    const evidence = await this.#resolver.examine(name, type, this.#signal)
    this.#evidence.push(evidence)
    return evidence
  }

  /** The answer of any server, queried once; not part of the report. */
  resolve<T extends DnsRecordType>(name: string, type: T): Promise<DnsAnswer<T>> {
    const key = `${type} ${name}`
    const known = this.#answers.get(key)
    // The key contains the type, so the answer is for type T.
    if (known) return known as Promise<DnsAnswer<T>>
    const answer = this.#resolver.resolve(name, type, this.#signal)
    this.#answers.set(key, answer)
    return answer
  }

  get evidence(): readonly DnsEvidence[] {
    return this.#evidence
  }
}
