/** Checks whether the key at a selector lets receivers verify our signatures. */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { isAbsent, judgeAbsence, zoneOf } from '../judging/absence.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import type { Problem, Verdict } from '../judging/verdict.ts'
import { weighEvidence } from '../judging/weigh-evidence.ts'
import { findAddressProblem } from '../mistakes/address-in-place.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'
import { type DkimJudgement, judgeDkim, readWantedDkim, type WantedDkim } from './dkim-record.ts'
import { dkimWords } from './dkim-words.ts'

/** With more records than this, their orders are not tried. */
const PIECES_MAX = 4

export async function checkDkim(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { domainName }: CheckRequest,
): Promise<Verdict> {
  const wanted = readWantedDkim(record.value)
  const evidence = await inquiry.examine(record.name, 'TXT')
  const verdict = await weighEvidence(evidence, (answer) => judgeAnswer(record, wanted, answer, evidence))
  const problem = await findBetterReason(record, wanted, verdict, evidence, inquiry, domainName)
  return problem ? { ...verdict, problem } : verdict
}

function judgeAnswer(
  record: RequiredDnsRecord,
  wanted: WantedDkim,
  answer: DnsAnswer<'TXT'>,
  evidence: DnsEvidence,
): Verdict {
  if (answer.kind !== 'records') return judgeAbsence(record, answer, evidence)
  const { values: actual } = answer
  const alias = answer.aliases.at(-1)
  const at = alias ? `${alias.target} (the CNAME target of ${record.name})` : record.name
  const { problem, warnings } = judgeValues(actual, wanted, at)
  return problem ? { status: 'invalid', actual, problem, warnings } : { status: 'valid', actual, warnings }
}

/** RFC 6376 section 3.6.2.2: with several records at a selector the result is undefined, even if one of them is correct. */
function judgeValues(values: readonly string[], wanted: WantedDkim, at: string): DkimJudgement {
  const [value = '', ...others] = values
  if (others.length === 0) return judgeValue(value, wanted, at)
  const isRight = (text: string) => judgeDkim(repairText(text).text, wanted, at).problem === undefined
  const problem = listOrders(values).some((pieces) => isRight(pieces.join('')))
    ? dkimWords.split(at, values.length)
    : dkimWords.several(at, values.length, values.filter(isRight).length)
  return { problem, warnings: [] }
}

function judgeValue(value: string, wanted: WantedDkim, at: string): DkimJudgement {
  const judgement = judgeDkim(value, wanted, at)
  if (!judgement.problem) return judgement
  const repaired = repairText(value)
  if (repaired.text === value || judgeDkim(repaired.text, wanted, at).problem) return judgement
  return { problem: describeDamage(at, repaired.damages), warnings: [] }
}

/** All permutations, if there are few enough pieces. */
function listOrders(pieces: readonly string[]): readonly (readonly string[])[] {
  if (pieces.length > PIECES_MAX) return []
  if (pieces.length <= 1) return [pieces]
  return pieces.flatMap((piece, index) => listOrders(pieces.toSpliced(index, 1)).map((rest) => [piece, ...rest]))
}

/** A more precise reason if the record is missing or a foreign record is there. */
async function findBetterReason(
  record: RequiredDnsRecord,
  wanted: WantedDkim,
  verdict: Verdict,
  evidence: DnsEvidence<'TXT'>,
  inquiry: Inquiry,
  domainName: string,
): Promise<Problem | undefined> {
  const diagnosis = verdict.problem?.diagnosis
  const isForeign = diagnosis === 'wrong_value' || diagnosis === 'dangling_alias'
  if (!isAbsent(verdict) && !isForeign) return undefined
  const zone = zoneOf(evidence) ?? domainName
  const misplaced = await findMisplaced(record, evidence, inquiry, {
    domainName,
    places: listPlaces(record.name, domainName, zone),
    isIt: (value) => isOurs(value, wanted),
  })
  if (misplaced) return misplaced
  return isForeign ? findWildcard(record, evidence, inquiry) : findAddressProblem(record, verdict, inquiry)
}

/** Whether the value has our key, even if the record is wrong otherwise; false if any key is accepted. */
function isOurs(value: string, wanted: WantedDkim): boolean {
  if (wanted.key === undefined) return false
  const { problem } = judgeDkim(repairText(value).text, wanted, '')
  return problem === undefined || (problem.diagnosis === 'truncated' && value.length > 100)
}

/** At the domain itself, without the underscore, without `_domainkey`, without the selector, or one zone up. */
function listPlaces(name: string, domainName: string, zone: string): readonly string[] {
  const [selector = ''] = name.split('._domainkey.')
  return [
    domainName,
    `${selector}.domainkey.${domainName}`,
    `${selector}.${domainName}`,
    `_domainkey.${domainName}`,
    `${selector}._domainkey.${zone}`,
  ]
}
