/** Something foreign that is there only because a wildcard answers for every name. */
import type { DnsAnswer, DnsEvidence, DnsRecordType } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { zoneOf } from './absence.ts'
import type { Inquiry } from './inquiry.ts'
import { describeField } from './plain-words.ts'
import type { Problem } from './verdict.ts'

/** Nobody publishes anything here. */
const UNLIKELY_LABEL = 'envelog-no-such-name-7f3a'

/** Undefined where what is there was published on purpose. `type`: of what is there, if not of the record itself. */
export async function findWildcard(
  record: RequiredDnsRecord,
  evidence: DnsEvidence,
  inquiry: Inquiry,
  type: DnsRecordType = record.type,
): Promise<Problem | undefined> {
  const { name } = record
  const beside = `${UNLIKELY_LABEL}.${name.slice(name.indexOf('.') + 1)}`
  const [own, other] = await Promise.all([inquiry.resolve(name, type), inquiry.resolve(beside, type)])
  const content = contentOf(own)
  if (content === NOTHING || content !== contentOf(other)) return undefined
  const text =
    `There is no record of its own at ${name}: a wildcard (*) answers for every name there. Create a ${record.type} ` +
    `record with the required value at ${name}; it takes precedence over the wildcard.${describeField(name, zoneOf(evidence))}`
  return { diagnosis: 'wildcard', text }
}

const NOTHING = '[]'

/** Where the aliases lead, and what is there. */
function contentOf(answer: DnsAnswer): string {
  const values = answer.kind === 'records' ? answer.values.toSorted() : []
  return JSON.stringify([...answer.aliases.map(({ target }) => target), ...values])
}
