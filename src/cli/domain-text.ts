/** A domain and its DNS records as people read them, the values on lines of their own so that they can be copied whole. */
import type { Domain, RequiredDnsRecord } from '../domains/domain.ts'

export function describeState(domain: Domain): string {
  const verified = domain.isVerified ? 'verified' : 'not verified'
  return `${domain.isActive ? 'active' : 'not active'}, ${verified}`
}

/** What to publish. */
export function describeRecordsToPublish(records: readonly RequiredDnsRecord[]): string {
  return records.map((record) => `${title(record)}\n    ${record.value}`).join('\n')
}

function title(record: RequiredDnsRecord): string {
  return `  ${record.purpose} (${record.required ? 'required' : 'recommended'})  ${record.type}  ${record.name}`
}
