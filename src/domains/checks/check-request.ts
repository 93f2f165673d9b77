/** What is to be checked, as every check sees it. */
import type { RequiredDnsRecord } from '../domain.ts'

export interface CheckRequest {
  readonly domainName: string
  /** What the domain is to publish; several of one purpose are possible, such as the keys of two selectors. */
  readonly records: readonly RequiredDnsRecord[]
  /** From which its mail comes, for what DMARC says about alignment. Default: an address at the domain itself. */
  readonly sendingEmail?: string
}
