/** The input of every check. */
import type { RequiredDnsRecord } from '../../domain.ts'

export interface CheckRequest {
  readonly domainName: string
  /** The records to publish; several can have the same purpose, such as the keys of two selectors. */
  readonly records: readonly RequiredDnsRecord[]
  /** The From address, for DMARC alignment. Default: an address at the domain itself. */
  readonly sendingEmail?: string
}
