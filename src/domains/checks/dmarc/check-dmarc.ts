/** Checks whether a DMARC policy is published for the domain, and whether our mail is aligned with it (RFC 7489). */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { organizationalDomain } from '../../domain-name.ts'
import { printable } from '../../printable-text.ts'
import { isAbsent, judgeAbsence, zoneOf } from '../judging/absence.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { rightRecord, type Verdict, wrongRecord } from '../judging/verdict.ts'
import { weighEvidence } from '../judging/weigh-evidence.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'
import { listAlignmentWarnings } from './dmarc-alignment.ts'
import { isDmarcRecord, readDmarcRecord } from './dmarc-record.ts'

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

/** RFC 7489 6.6.3: other TXT records are ignored; several DMARC records count as none. */
function judgeValues(record: RequiredDnsRecord, values: readonly string[], request: CheckRequest): Verdict {
  const { name } = record
  const [value, ...others] = values.filter(isDmarcRecord)
  if (value === undefined) {
    const damaged = values.map(repairText).find(({ text, damages }) => damages.length > 0 && isDmarcRecord(text))
    if (damaged)
      return { status: 'invalid', actual: values, problem: describeDamage(name, damaged.damages), warnings: [] }
    const text = `The TXT record at ${name} is not a DMARC record: it must begin with "v=DMARC1;" in upper case. Replace it with the required value.`
    return wrongRecord(values, 'wrong_value', text)
  }
  if (others.length > 0) {
    const text = `There are ${others.length + 1} DMARC records at ${name}, so receivers ignore all of them. Keep one and delete the others.`
    return wrongRecord(values, 'several_records', text)
  }
  const read = readDmarcRecord(value)
  if (read?.policy === undefined) {
    const fault = read
      ? 'has no p= tag with the value none, quarantine or reject'
      : 'is not a list of tags separated by semicolons'
    const text = `The DMARC record at ${name} ${fault}, so receivers find no policy in it. Replace it with the required value.`
    return wrongRecord([value], 'dmarc_policy', text)
  }
  const odd = read.odd.map((tag) => `Receivers will not understand ${printable(tag)} in the DMARC record at ${name}.`)
  return rightRecord([value], [...odd, ...listAlignmentWarnings(name, read, request)])
}

/** RFC 7489 6.6.3: without a record of its own, a domain has the policy of its organizational domain. */
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
  const note = `${request.domainName} has no DMARC record of its own; the one at ${name} applies.`
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
