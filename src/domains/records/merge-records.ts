/** Merges the results of a check into the current records of a domain. */
import type { RequiredDnsRecord } from '../domain.ts'

/** Keys may have been added or removed while the check ran, so it updates status and values but not the set of records. */
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
  return (['purpose', 'type', 'name', 'value'] as const).every((field) => one[field] === other[field])
}
