/** The questions that the check of one record asks, written down for the report. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolver } from '../dns-resolver.ts'

export class Inquiry {
  readonly #resolver: DnsResolver
  readonly #signal: AbortSignal
  readonly #evidence: DnsEvidence[] = []
  readonly #answers = new Map<string, Promise<DnsAnswer>>()

  constructor(resolver: DnsResolver, signal: AbortSignal) {
    this.#resolver = resolver
    this.#signal = signal
  }

  /** What every server says. */
  async examine<T extends DnsRecordType>(name: string, type: T): Promise<DnsEvidence<T>> {
    const evidence = await this.#resolver.examine(name, type, this.#signal)
    this.#evidence.push(evidence)
    return evidence
  }

  /** What any server says, asked once; not part of the report. */
  resolve<T extends DnsRecordType>(name: string, type: T): Promise<DnsAnswer<T>> {
    const key = `${type} ${name}`
    const known = this.#answers.get(key)
    // The key has seen to it that the answer is about type T.
    if (known) return known as Promise<DnsAnswer<T>>
    const answer = this.#resolver.resolve(name, type, this.#signal)
    this.#answers.set(key, answer)
    return answer
  }

  /** So far. */
  get evidence(): readonly DnsEvidence[] {
    return this.#evidence
  }
}
