/** Checks whether mail for the domain is delivered to us (RFC 5321 section 5.1). */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { exchangesOf } from '../../spf/tree/spf-dns.ts'
import { isAbsent, judgeAbsence } from '../judging/absence.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { listSome } from '../judging/plain-words.ts'
import { rightRecord, type Verdict, wrongRecord } from '../judging/verdict.ts'
import { weighEvidence } from '../judging/weigh-evidence.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'

export async function checkMx(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { domainName }: CheckRequest,
): Promise<Verdict> {
  const [wanted] = readExchanges([record.value])
  const evidence = await inquiry.examine(record.name, 'MX')
  const verdict = await weighEvidence(evidence, (answer) => judgeAnswer(record, wanted ?? '', answer, evidence))
  if (!isAbsent(verdict)) return verdict
  const isIt = (value: string) => readExchanges([value])[0] === wanted
  const problem = await findMisplaced(record, evidence, inquiry, { domainName, places: [], isIt })
  return problem ? { ...verdict, problem } : verdict
}

function judgeAnswer(
  record: RequiredDnsRecord,
  wanted: string,
  answer: DnsAnswer<'MX'>,
  evidence: DnsEvidence,
): Verdict {
  if (answer.kind !== 'records') return judgeAbsence(record, answer, evidence)
  const exchanges = readExchanges(answer.values)
  if (exchanges[0] === wanted) return rightRecord(answer.values)
  if (exchanges.includes(wanted)) {
    const warning = `${wanted} is not the most preferred MX of ${record.name}: mail goes to ${exchanges[0]} while that host answers.`
    return rightRecord(answer.values, [warning])
  }
  // RFC 7505.
  if (exchanges.length === 0) {
    const text = `The MX record at ${record.name} says that the domain accepts no mail (null MX, "."). Replace it with the required record.`
    return wrongRecord(['0 .'], 'wrong_target', text)
  }
  const text = `The MX records at ${record.name} point to ${listSome(exchanges)}. Add the required record, with a lower preference number than the others.`
  return wrongRecord(answer.values, 'wrong_target', text)
}

/** Most preferred first. */
function readExchanges(values: readonly string[]): readonly string[] {
  return exchangesOf({ kind: 'records', values })
}
