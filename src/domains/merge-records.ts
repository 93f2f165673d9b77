/** What a check saw, put on the records that a domain has by now. */
import type { RequiredDnsRecord } from './domain.ts'

/** The operator may have added or removed a key while DNS was asked, so the check decides about what was seen and not about which records there are. */
export function mergeCheckedRecords(
  records: readonly RequiredDnsRecord[],
  checked: readonly RequiredDnsRecord[],
): readonly RequiredDnsRecord[] {
  return records.map((record) => {
    const seen = checked.find((candidate) => isSameRecord(candidate, record))
    return seen ? { ...record, status: seen.status, actual: seen.actual } : record
  })
}

function isSameRecord(one: RequiredDnsRecord, other: RequiredDnsRecord): boolean {
  return (
    one.purpose === other.purpose && one.type === other.type && one.name === other.name && one.value === other.value
  )
}
