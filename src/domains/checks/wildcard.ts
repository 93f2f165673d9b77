/** A foreign record that is there only because a wildcard answers for every name. */
import type { DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { zoneOf } from './absence.ts'
import type { Inquiry } from './inquiry.ts'
import { describeField } from './plain-words.ts'
import type { Problem } from './verdict.ts'

/** Nobody publishes anything here. */
const UNLIKELY_LABEL = 'envelog-no-such-name-7f3a'

/** Undefined where the record was published on purpose. */
export async function findWildcard(
  record: RequiredDnsRecord,
  evidence: DnsEvidence,
  inquiry: Inquiry,
): Promise<Problem | undefined> {
  const { answer } = evidence
  const rest = record.name.slice(record.name.indexOf('.') + 1)
  const other = await inquiry.resolve(`${UNLIKELY_LABEL}.${rest}`, record.type)
  if (answer.kind !== 'records' || other.kind !== 'records') return undefined
  if (JSON.stringify(answer.values.toSorted()) !== JSON.stringify(other.values.toSorted())) return undefined
  const text =
    `There is no record of its own at ${record.name}: a wildcard (*) answers for every name there. Create a ` +
    `${record.type} record with the required value at ${record.name}; it takes precedence over the wildcard.` +
    describeField(record.name, zoneOf(evidence))
  return { diagnosis: 'wildcard', text }
}
