/** Which addresses the listener accepts: those at hosts where reports are expected. */
import { normalizeDomainName } from '../domains/domain-name.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { findProvenDomain } from '../domains/require-domain.ts'

export interface AcceptedDomains {
  /** Configured by the operator. */
  readonly names: readonly string[]
  /** The label below every sender domain, such as `bounces`. */
  readonly label: string
  readonly domains: Pick<DomainStore, 'findByName'>
}

export async function isAccepted({ names, label, domains }: AcceptedDomains, address: string): Promise<boolean> {
  const host = normalizeDomainName(address.slice(address.lastIndexOf('@') + 1))
  if (host === undefined || !address.includes('@')) return false
  if (names.includes(host)) return true
  const prefix = `${label}.`
  return host.startsWith(prefix) && (await findProvenDomain(domains, host.slice(prefix.length))) !== undefined
}
