/** A domain as JSON, and its DNS records for people: values are on separate lines, so that they can be copied whole. */
import type { RequiredDnsRecord } from '../../../domains/domain.ts'
import type { AdminDomainDetail } from '../../../http/v1/administration/domains/domains.wire.ts'

type ShownRecord = Pick<RequiredDnsRecord, 'purpose' | 'type' | 'name' | 'value' | 'required'>

/** `note` says what is special about the records, instead of whether verification needs them. */
export function describeRecordsToPublish(records: readonly ShownRecord[], note?: string): string {
  return records.map((record) => `${title(record, note)}\n    ${record.value}`).join('\n')
}

function title(record: ShownRecord, note = record.required ? 'required' : 'recommended'): string {
  return `  ${record.purpose} (${note})  ${record.type}  ${record.name}`
}

/** With the names of the platform interface, which scripts have relied on from the beginning. */
export function toDomainJson(domain: AdminDomainDetail): object {
  const { id, createdAt, updatedAt, name, description, sendingEmail, records, active, proven, verified, errors } =
    domain
  return {
    id,
    createdAt,
    updatedAt,
    name,
    description,
    sendingEmail,
    dnsRecords: records.map(({ type, name: at, value, purpose, required, status, found }) => {
      return { type, name: at, value, purpose, required, status, actual: found }
    }),
    isActive: active,
    isProven: proven,
    // Set and cleared together with the verification.
    isApproved: verified,
    isVerified: verified,
    lastVerificationErrors: errors,
    ...(domain.lastCheckAt !== null && { lastVerificationCheckedAt: domain.lastCheckAt }),
  }
}
