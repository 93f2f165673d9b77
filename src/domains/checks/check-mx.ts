/** Whether mail to the domain comes to us (RFC 5321 section 5.1). */
import type { DnsAnswer, DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { exchangesOf } from '../spf/spf-dns.ts'
import { isAbsent, judgeAbsence } from './absence.ts'
import type { CheckRequest } from './check-request.ts'
import type { Inquiry } from './inquiry.ts'
import { findMisplaced } from './misplaced.ts'
import { listSome } from './plain-words.ts'
import { rightRecord, type Verdict, wrongRecord } from './verdict.ts'
import { weighEvidence } from './weigh-evidence.ts'

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
    const warning = `${wanted} is not the first MX of ${record.name}: mail goes to ${exchanges[0]} as long as that one answers.`
    return rightRecord(answer.values, [warning])
  }
  // RFC 7505.
  if (exchanges.length === 0) {
    const text = `The MX record at ${record.name} says that it takes no mail at all ("."). Replace it with the required one.`
    return wrongRecord(['0 .'], 'wrong_target', text)
  }
  const text = `The MX records at ${record.name} lead to ${listSome(exchanges)}. Add the required one, with a lower number than the others.`
  return wrongRecord(answer.values, 'wrong_target', text)
}

/** Best first. */
function readExchanges(values: readonly string[]): readonly string[] {
  return exchangesOf({ kind: 'records', values })
}
