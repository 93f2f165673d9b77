/** Whether a DMARC policy is published for the domain, and what it asks of the names in our mail (RFC 7489). */
import type { DnsAnswer, DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { organizationalDomain } from '../domain-name.ts'
import { printable } from '../spf/printable-text.ts'
import { isAbsent, judgeAbsence, zoneOf } from './absence.ts'
import type { CheckRequest } from './check-request.ts'
import { repairText } from './copied-text.ts'
import { describeDamage } from './damage-words.ts'
import { listAlignmentWarnings } from './dmarc-alignment.ts'
import { isDmarcRecord, readDmarcRecord } from './dmarc-record.ts'
import type { Inquiry } from './inquiry.ts'
import { findMisplaced } from './misplaced.ts'
import { rightRecord, type Verdict, wrongRecord } from './verdict.ts'
import { weighEvidence } from './weigh-evidence.ts'
import { findWildcard } from './wildcard.ts'

export async function checkDmarc(record: RequiredDnsRecord, inquiry: Inquiry, request: CheckRequest): Promise<Verdict> {
  const { domainName } = request
  const evidence = await inquiry.examine(record.name, 'TXT')
  const verdict = await weighEvidence(evidence, (answer) => judgeAnswer(record, answer, evidence, request))
  const diagnosis = verdict.problem?.diagnosis
  const isForeign = diagnosis === 'wrong_value' || diagnosis === 'dangling_alias'
  if (!isAbsent(verdict) && !isForeign) return verdict
  const inherited = await findInherited(record, inquiry, request)
  if (inherited) return inherited
  const wildcard = isForeign ? await findWildcard(record, evidence, inquiry) : undefined
  return wildcard ? { ...verdict, problem: wildcard } : findElsewhere(record, evidence, verdict, inquiry, domainName)
}

function judgeAnswer(
  record: RequiredDnsRecord,
  answer: DnsAnswer<'TXT'>,
  evidence: DnsEvidence<'TXT'>,
  request: CheckRequest,
): Verdict {
  if (answer.kind !== 'records') return judgeAbsence(record, answer, evidence)
  return judgeValues(record, answer.values, request)
}

/** Section 6.6.3: records of another kind do not count, and of several that do, none does. */
function judgeValues(record: RequiredDnsRecord, values: readonly string[], request: CheckRequest): Verdict {
  const { name } = record
  const [value, ...others] = values.filter(isDmarcRecord)
  if (value === undefined) {
    const damaged = values.map(repairText).find(({ text, damages }) => damages.length > 0 && isDmarcRecord(text))
    if (damaged)
      return { status: 'invalid', actual: values, problem: describeDamage(name, damaged.damages), warnings: [] }
    const text = `The TXT record at ${name} is not a DMARC record: it must begin with "v=DMARC1;" in capital letters. Replace it with the required value.`
    return wrongRecord(values, 'wrong_value', text)
  }
  if (others.length > 0) {
    const text = `There are ${others.length + 1} DMARC records at ${name}, so receivers ignore all of them. Keep one and delete the rest.`
    return wrongRecord(values, 'several_records', text)
  }
  const read = readDmarcRecord(value)
  if (read?.policy === undefined) {
    const fault = read
      ? 'has no p= tag with none, quarantine or reject'
      : 'is not a list of tags with semicolons between them'
    const text = `The DMARC record at ${name} ${fault}, so receivers find no policy in it. Replace it with the required value.`
    return wrongRecord([value], 'dmarc_policy', text)
  }
  const odd = read.odd.map((tag) => `In the DMARC record at ${name}, receivers will not understand ${printable(tag)}.`)
  return rightRecord([value], [...odd, ...listAlignmentWarnings(name, read, request)])
}

/** Section 6.6.3: without a record of its own, a domain has the policy of the organization. */
async function findInherited(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  request: CheckRequest,
): Promise<Verdict | undefined> {
  const organization = organizationalDomain(request.domainName)
  if (organization === request.domainName) return undefined
  const name = `_dmarc.${organization}`
  const answer = await inquiry.resolve(name, 'TXT')
  if (answer.kind !== 'records') return undefined
  const verdict = judgeValues({ ...record, name }, answer.values, request)
  if (verdict.status !== 'valid') return undefined
  const note = `${request.domainName} has no DMARC record of its own and takes over the one at ${name}.`
  return { ...verdict, warnings: [note, ...verdict.warnings] }
}

async function findElsewhere(
  record: RequiredDnsRecord,
  evidence: DnsEvidence<'TXT'>,
  verdict: Verdict,
  inquiry: Inquiry,
  domainName: string,
): Promise<Verdict> {
  const places = [domainName, `dmarc.${domainName}`, `_dmarc.${zoneOf(evidence) ?? domainName}`]
  const problem = await findMisplaced(record, evidence, inquiry, { domainName, places, isIt: isDmarcRecord })
  return problem ? { ...verdict, problem } : verdict
}
