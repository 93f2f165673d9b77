/** Checks whether the SPF policy of the domain really lets mail from our servers pass (RFC 7208). */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { isSpfRecord } from '../../spf/syntax/spf-record.ts'
import type { SpfTree } from '../../spf/tree/spf-tree.ts'
import { isAbsent, judgeAbsence, zoneOf } from '../judging/absence.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { describeField } from '../judging/plain-words.ts'
import type { Problem, Verdict } from '../judging/verdict.ts'
import { weighEvidence } from '../judging/weigh-evidence.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { judgeSpf, type SpfJudgement } from './spf-policy.ts'
import { listRequiredTerms, suggestSpf } from './spf-suggestion.ts'
import { listSpfWarnings } from './spf-warnings.ts'

export interface SpfCheck extends Verdict {
  /** Of the answer that was used. */
  readonly spfTree?: SpfTree
}

export async function checkSpf(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { domainName }: CheckRequest,
): Promise<SpfCheck> {
  const terms = listRequiredTerms(record.value)
  const evidence = await inquiry.examine(record.name, 'TXT')
  const judge = (answer: DnsAnswer<'TXT'>) => judgeSpf(record.name, answer, terms, inquiry)
  const judged = await judge(evidence.answer)
  const verdict = await weighEvidence(evidence, async (answer) => {
    const judgement = answer === evidence.answer ? judged : await judge(answer)
    return toVerdict(record, answer, evidence, judgement)
  })
  const problem =
    (await findDamage(record, evidence.answer, verdict, judge)) ??
    (await findElsewhere(record, evidence, verdict, inquiry, domainName, terms)) ??
    verdict.problem
  const spfTree = evidence.answer.kind === 'unreachable' ? {} : { spfTree: judged.tree }
  if (!problem || verdict.status === 'unknown') return { ...verdict, ...spfTree }
  const required = problem.required ?? (await suggest(record, evidence.answer, terms, judge))
  return { ...verdict, ...spfTree, problem: { ...problem, required } }
}

type JudgeSpf = (answer: DnsAnswer<'TXT'>) => Promise<SpfJudgement>

/** Empty if no mechanism is required and the existing record needs no correction. */
async function suggest(
  record: RequiredDnsRecord,
  answer: DnsAnswer<'TXT'>,
  terms: readonly string[],
  judge: JudgeSpf,
): Promise<readonly string[]> {
  const values = answer.kind === 'records' ? answer.values : []
  const suggested = await suggestSpf(values, terms, record.value, async (text) => {
    const records = [{ text, strings: [text] }]
    const { problem, faultyTerm } = await judge({
      kind: 'records',
      records,
      values: [text],
      ttlSeconds: 0,
      aliases: [],
    })
    return { isRight: !problem, ...(faultyTerm !== undefined && { faultyTerm }) }
  })
  const isOfUse = terms.length > 0 || suggested !== record.value
  return isOfUse ? [suggested] : []
}

function toVerdict(
  record: RequiredDnsRecord,
  answer: DnsAnswer<'TXT'>,
  evidence: DnsEvidence<'TXT'>,
  { tree, problem, isUnknown }: SpfJudgement,
): Verdict {
  if (answer.kind !== 'records') return judgeAbsence(record, answer, evidence)
  const actual = chooseShown(answer.values)
  if (!problem) return { status: 'valid', actual, warnings: listSpfWarnings(tree) }
  if (isUnknown) return { status: 'unknown', actual, problem, warnings: [] }
  const explained = problem.diagnosis === 'no_spf' ? describeNoSpf(record, evidence) : problem
  return { status: 'invalid', actual, problem: explained, warnings: [] }
}

/** Other TXT records are shown only if there is no SPF record. */
function chooseShown(values: readonly string[]): readonly string[] {
  const spf = values.filter(isSpfRecord)
  return spf.length > 0 ? spf : values
}

function describeNoSpf({ name }: RequiredDnsRecord, evidence: DnsEvidence): Problem {
  const text =
    `None of the TXT records at ${name} is an SPF record. Add one with the required value; the other TXT records can ` +
    `stay.${describeField(name, zoneOf(evidence))}`
  return { diagnosis: 'no_spf', text }
}

/** A record that would be correct if it had not been damaged by copying. */
async function findDamage(
  record: RequiredDnsRecord,
  answer: DnsAnswer<'TXT'>,
  { problem }: Verdict,
  judge: JudgeSpf,
): Promise<Problem | undefined> {
  if (answer.kind !== 'records' || (problem?.diagnosis !== 'no_spf' && problem?.diagnosis !== 'spf_broken'))
    return undefined
  const repaired = answer.values.map(repairText)
  const values = repaired.map(({ text }) => text)
  const damaged = repaired.find(({ text, damages }) => damages.length > 0 && isSpfRecord(text))
  const isRepaired = damaged !== undefined && !(await judge({ ...answer, values })).problem
  if (!isRepaired) return problem.diagnosis === 'no_spf' ? findNearMiss(record, answer.values) : undefined
  return { ...describeDamage(record.name, damaged.damages), required: [damaged.text] }
}

/** RFC 7208 4.5: an SPF record begins with exactly "v=spf1", followed by a space or the end. */
function findNearMiss({ name }: RequiredDnsRecord, values: readonly string[]): Problem | undefined {
  const near = values.find((value) => !isSpfRecord(value) && /^\W*(?:v\W*=?\W*spf|spf1\b)/i.test(value))
  if (near === undefined) return undefined
  const text =
    `A TXT record at ${name} looks like an SPF record but is not one: it must begin with exactly "v=spf1" and a space. ` +
    'Replace it with the required value.'
  return { diagnosis: 'wrong_version', text }
}

async function findElsewhere(
  record: RequiredDnsRecord,
  evidence: DnsEvidence<'TXT'>,
  verdict: Verdict,
  inquiry: Inquiry,
  domainName: string,
  terms: readonly string[],
): Promise<Problem | undefined> {
  if (!isAbsent(verdict) && verdict.problem?.diagnosis !== 'no_spf') return undefined
  const isIt = (value: string) =>
    isSpfRecord(value) && terms.every((term) => value.toLowerCase().includes(term.toLowerCase()))
  const zone = zoneOf(evidence) ?? domainName
  // Without a required mechanism, any other SPF record would be taken for the missing one.
  const places = terms.length === 0 ? [] : [`_spf.${domainName}`, `spf.${domainName}`, `www.${domainName}`]
  const misplaced = await findMisplaced(record, evidence, inquiry, { domainName, places, isIt })
  if (misplaced || zone === record.name) return misplaced
  const above = await inquiry.resolve(zone, 'TXT')
  return above.kind === 'records' && above.values.some(isIt) ? describeParent(record, zone) : undefined
}

/** Unlike DMARC, SPF is not inherited. */
function describeParent({ name }: RequiredDnsRecord, zone: string): Problem {
  const text =
    `The SPF record is at ${zone}, but an SPF record does not apply to subdomains, and mail is sent from ${name}. ` +
    `Create a record with the required value at ${name} as well.${describeField(name, zone)}`
  return { diagnosis: 'wrong_place', text }
}
