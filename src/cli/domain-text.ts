/** A domain and its DNS records as people read them, the values on lines of their own so that they can be copied whole. */
import type { Domain, RequiredDnsRecord } from '../domains/domain.ts'

export function describeState(domain: Domain): string {
  const verified = domain.isVerified ? 'verified' : 'not verified'
  return `${domain.isActive ? 'active' : 'not active'}, ${verified}`
}

/** What to publish. `note` says what is special about them, instead of whether verification needs them. */
export function describeRecordsToPublish(records: readonly RequiredDnsRecord[], note?: string): string {
  return records.map((record) => `${title(record, note)}\n    ${record.value}`).join('\n')
}

function title(record: RequiredDnsRecord, note = record.required ? 'required' : 'recommended'): string {
  return `  ${record.purpose} (${note})  ${record.type}  ${record.name}`
}
