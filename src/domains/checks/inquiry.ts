/** The questions that the check of one record asks, written down for the report. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolver } from '../dns-resolver.ts'

export class Inquiry {
  readonly #resolver: DnsResolver
  readonly #signal: AbortSignal
  readonly #evidence: DnsEvidence[] = []

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

  /** What any server says; not part of the report. */
  resolve<T extends DnsRecordType>(name: string, type: T): Promise<DnsAnswer<T>> {
    return this.#resolver.resolve(name, type, this.#signal)
  }

  /** So far. */
  get evidence(): readonly DnsEvidence[] {
    return this.#evidence
  }
}
