/** Checks whether a name is a CNAME for one of our hosts. */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { isAbsent, judgeAbsence, zoneOf } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { rightRecord, type Verdict, wrongRecord } from '../judging/verdict.ts'
import { weighEvidence } from '../judging/weigh-evidence.ts'
import { describeFlattened, describeProxied, listAddresses } from '../mistakes/address-in-place.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'

export async function checkAlias(record: RequiredDnsRecord, inquiry: Inquiry, domainName: string): Promise<Verdict> {
  const evidence = await inquiry.examine(record.name, 'CNAME')
  // A chain of CNAMEs that reaches our host is fine.
  const chain = new Set((await inquiry.resolve(record.name, 'A')).aliases.map(({ target }) => target))
  const verdict = await weighEvidence(evidence, (answer) => judgeAnswer(record, answer, evidence, chain))
  if (verdict.problem?.diagnosis === 'wrong_target') {
    const wildcard = await findWildcard(record, evidence, inquiry)
    return wildcard ? { ...verdict, problem: wildcard } : verdict
  }
  if (!isAbsent(verdict)) return verdict
  const misplaced = await findMisplaced(record, evidence, inquiry, {
    domainName,
    places: [],
    isIt: (value) => value === record.value,
  })
  if (misplaced) return { ...verdict, problem: misplaced }
  return (await judgeAddresses(record, evidence, inquiry)) ?? verdict
}

function judgeAnswer(
  record: RequiredDnsRecord,
  answer: DnsAnswer<'CNAME'>,
  evidence: DnsEvidence,
  chain: ReadonlySet<string>,
): Verdict {
  if (answer.kind !== 'records') return judgeAbsence(record, answer, evidence)
  const [target = ''] = answer.values
  const isOurs = target === record.value || (chain.has(target) && chain.has(record.value))
  if (isOurs) return rightRecord(answer.values)
  const zone = zoneOf(evidence)
  if (zone !== undefined && target === `${record.value}.${zone}`) {
    const text =
      `The CNAME at ${record.name} points to ${target}: your DNS provider appended ${zone} to the target. Enter the ` +
      `target with a trailing dot: ${record.value}.`
    return wrongRecord(answer.values, 'target_with_zone', text)
  }
  const text = `The CNAME at ${record.name} points to ${target}. Change its target to ${record.value}.`
  return wrongRecord(answer.values, 'wrong_target', text)
}

/** There is no CNAME, but addresses: of a proxy, of our host, or others. */
async function judgeAddresses(
  record: RequiredDnsRecord,
  evidence: DnsEvidence,
  inquiry: Inquiry,
): Promise<Verdict | undefined> {
  const [addresses, wanted] = await Promise.all([
    listAddresses(inquiry, record.name),
    listAddresses(inquiry, record.value),
  ])
  if (addresses.length === 0) return undefined
  const isSame = addresses.every((address) => wanted.includes(address))
  const problem =
    (isSame ? undefined : describeProxied(record, addresses)) ??
    (isSame ? undefined : await findWildcard(record, evidence, inquiry, 'A')) ??
    describeFlattened(record, addresses)
  return { status: 'invalid', actual: addresses, problem, warnings: [] }
}

/** The CNAME was replaced by the addresses of its target, which is enough where only addresses matter. */
export async function isFlattenedToOurs(
  record: RequiredDnsRecord,
  { problem, actual }: Verdict,
  inquiry: Inquiry,
): Promise<boolean> {
  if (problem?.diagnosis !== 'flattened') return false
  const wanted = await listAddresses(inquiry, record.value)
  return actual.every((address) => wanted.includes(address))
}
