/** The check of one record: what is required, and the DNS queries about it, recorded for the report. */
import { Turn } from '../../../lib/turns/turn.ts'
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolver } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'

/** The input of a check. */
export interface CheckRequest {
  readonly domainName: string
  /** The records to publish; several can have the same purpose, such as the keys of two selectors. */
  readonly records: readonly RequiredDnsRecord[]
  /** The From address, for DMARC alignment. Default: an address at the domain itself. */
  readonly sendingEmail?: string
}

export class Inquiry {
  readonly record: RequiredDnsRecord
  readonly request: CheckRequest
  /** The evidence of every query to all servers, beginning with the one for the record itself. */
  readonly evidence: DnsEvidence[] = []
  /** For judgements that take long. */
  readonly turn = new Turn()
  readonly #resolver: DnsResolver
  readonly #signal: AbortSignal
  readonly #answers = new Map<string, Promise<DnsAnswer>>()

  constructor(record: RequiredDnsRecord, request: CheckRequest, resolver: DnsResolver, signal: AbortSignal) {
    this.record = record
    this.request = request
    this.#resolver = resolver
    this.#signal = signal
  }

  /** The statements of all servers. */
  async examine<T extends DnsRecordType>(name: string, type: T): Promise<DnsEvidence<T>> {
    const evidence = await this.#resolver.examine(name, type, this.#signal)
    this.evidence.push(evidence)
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

  /** The zone of the record's name, regardless of its aliases. */
  get zone(): string | undefined {
    return this.evidence[0]?.steps[0]?.zone
  }
}
