/** Checks whether the SPF policy of the domain really lets mail from our servers pass (RFC 7208). */
import { isSpfRecord } from '../../spf/syntax/spf-record.ts'
import { type SpfDnsAnswer, valuesOf } from '../../spf/tree/spf-dns.ts'
import { isAbsent } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { judgeRecord } from '../judging/judge-record.ts'
import { describeField } from '../judging/plain-words.ts'
import { faultyRecord, type Problem, rightRecord, type Verdict } from '../judging/verdict.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findDomainAlias } from '../mistakes/domain-alias.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { judgeSpf, type SpfJudgement } from './spf-policy.ts'
import { listRequiredTerms, suggestSpf } from './spf-suggestion.ts'
import { correctVersion, describeVersion } from './spf-version.ts'
import { listSpfCautions, listSpfWarnings } from './spf-warnings.ts'

type JudgeSpf = (answer: SpfDnsAnswer) => Promise<SpfJudgement>

export async function checkSpf(inquiry: Inquiry): Promise<Verdict> {
  const { name, value } = inquiry.record
  const terms = listRequiredTerms(value)
  const judge: JudgeSpf = (answer) => judgeSpf(name, answer, terms, inquiry)
  const { verdict, answer } = await judgeRecord(inquiry, async (found) =>
    toVerdict(inquiry, found.values, await judge(found)),
  )
  const values = valuesOf(answer)
  const problem =
    (await findDomainAlias(inquiry, answer, verdict)) ??
    (await findDamage(name, values, verdict, judge)) ??
    (await findElsewhere(inquiry, verdict, terms)) ??
    verdict.problem
  const checked = { ...verdict, ...(answer.kind !== 'unreachable' && { spfTree: (await judge(answer)).tree }) }
  if (!problem || verdict.status === 'unknown') return checked
  const isNearMiss = problem.diagnosis === 'wrong_version'
  const published = isNearMiss ? values.flatMap((text) => correctVersion(text) ?? []) : values
  const required = problem.required ?? (await suggest(value, published, terms, judge))
  return { ...checked, problem: { ...problem, required } }
}

/** Empty if no mechanism is required and the existing record needs no correction. */
async function suggest(
  value: string,
  values: readonly string[],
  terms: readonly string[],
  judge: JudgeSpf,
): Promise<readonly string[]> {
  const suggested = await suggestSpf(values, terms, value, async (text) => {
    const { problem, faultyTerm } = await judge({ kind: 'records', values: [text] })
    return { isRight: !problem, ...(faultyTerm !== undefined && { faultyTerm }) }
  })
  const isOfUse = terms.length > 0 || suggested !== value
  return isOfUse ? [suggested] : []
}

function toVerdict(
  { record: { name }, zone }: Inquiry,
  values: readonly string[],
  { tree, problem, isUnknown }: SpfJudgement,
): Verdict {
  const spf = values.filter(isSpfRecord)
  // Other TXT records are shown only if there is no SPF record.
  const actual = spf.length > 0 ? spf : values
  if (!problem) return { ...rightRecord(actual, listSpfWarnings(tree)), cautions: listSpfCautions(tree) }
  if (isUnknown || problem.diagnosis !== 'no_spf') return faultyRecord(actual, problem, isUnknown)
  const text =
    `None of the TXT records at ${name} is an SPF record. Add one with the required value; the other TXT records can ` +
    `stay.${describeField(name, zone)}`
  return faultyRecord(actual, { diagnosis: 'no_spf', text })
}

/** A record that would be correct if it had not been damaged by copying. */
async function findDamage(
  name: string,
  values: readonly string[],
  { problem }: Verdict,
  judge: JudgeSpf,
): Promise<Problem | undefined> {
  if (values.length === 0 || (problem?.diagnosis !== 'no_spf' && problem?.diagnosis !== 'spf_broken')) return undefined
  const repaired = values.map(repairText)
  const damaged = repaired.find(({ text, damages }) => damages.length > 0 && isSpfRecord(text))
  const isRepaired = damaged && !(await judge({ kind: 'records', values: repaired.map(({ text }) => text) })).problem
  if (isRepaired) return { ...describeDamage(name, damaged.damages), required: [damaged.text] }
  const nearMiss = values.find((value) => correctVersion(value) !== undefined)
  return problem.diagnosis === 'no_spf' && nearMiss !== undefined ? describeVersion(name, nearMiss) : undefined
}

async function findElsewhere(
  inquiry: Inquiry,
  verdict: Verdict,
  terms: readonly string[],
): Promise<Problem | undefined> {
  if (!isAbsent(verdict) && verdict.problem?.diagnosis !== 'no_spf') return undefined
  const { record, request, zone = request.domainName } = inquiry
  const isIt = (value: string) =>
    isSpfRecord(value) && terms.every((term) => value.toLowerCase().includes(term.toLowerCase()))
  // Without a required mechanism, any other SPF record would be taken for the missing one.
  const labels = terms.length === 0 ? [] : ['_spf', 'spf', 'www']
  const places = labels.map((label) => `${label}.${request.domainName}`)
  const misplaced = await findMisplaced(inquiry, places, isIt)
  if (misplaced || zone === record.name) return misplaced
  if (!valuesOf(await inquiry.resolve(zone, 'TXT')).some(isIt)) return undefined
  // Unlike DMARC, SPF is not inherited.
  const text =
    `The SPF record is at ${zone}, but an SPF record does not apply to subdomains, and mail is sent from ${record.name}. ` +
    `Create a record with the required value at ${record.name} as well.${describeField(record.name, zone)}`
  return { diagnosis: 'wrong_place', text }
}
