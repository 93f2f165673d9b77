/** Checks whether the key at a selector lets receivers verify our signatures. */
import { isAbsent, isForeign } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { judgeRecord } from '../judging/judge-record.ts'
import { faultyRecord, type Problem, rightRecord, type Verdict, withProblem } from '../judging/verdict.ts'
import { findAddressProblem } from '../mistakes/address-in-place.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findMisplaced, type Place } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'
import { type DkimJudgement, judgeDkim, readWantedDkim, type WantedDkim } from './dkim-record.ts'
import { dkimWords } from './dkim-words.ts'

/** With more records than this, their orders are not tried. */
const PIECES_MAX = 4

export async function checkDkim(inquiry: Inquiry): Promise<Verdict> {
  const { name, value } = inquiry.record
  const wanted = readWantedDkim(value)
  const { verdict } = await judgeRecord(inquiry, ({ values, aliases }) => {
    const alias = aliases.at(-1)
    const at = alias ? `${alias.target} (the CNAME target of ${name})` : name
    const { problem, warnings } = judgeValues(values, wanted, at)
    return problem ? faultyRecord(values, problem) : rightRecord(values, warnings)
  })
  return withProblem(verdict, await findBetterReason(inquiry, wanted, verdict))
}

/** RFC 6376 section 3.6.2.2: with several records at a selector the result is undefined, even if one of them is correct. */
function judgeValues(values: readonly string[], wanted: WantedDkim, at: string): DkimJudgement {
  const [value = '', ...others] = values
  if (others.length === 0) return judgeValue(value, wanted, at)
  const isRight = (text: string) => judgeDkim(repairText(text).text, wanted, at).problem === undefined
  const problem: Problem = listOrders(values).some((pieces) => isRight(pieces.join('')))
    ? { diagnosis: 'split_records', text: dkimWords.split(at, values.length) }
    : { diagnosis: 'several_records', text: dkimWords.several(at, values.length, values.some(isRight)) }
  return { problem, warnings: [] }
}

function judgeValue(value: string, wanted: WantedDkim, at: string): DkimJudgement {
  const judgement = judgeDkim(value, wanted, at)
  if (!judgement.problem) return judgement
  const repaired = repairText(value)
  if (judgeDkim(repaired.text, wanted, at).problem) return judgement
  return { problem: describeDamage(at, repaired.damages), warnings: [] }
}

/** All permutations, if there are few enough pieces. */
function listOrders(pieces: readonly string[]): readonly (readonly string[])[] {
  if (pieces.length > PIECES_MAX) return []
  if (pieces.length === 0) return [[]]
  return pieces.flatMap((piece, index) => listOrders(pieces.toSpliced(index, 1)).map((rest) => [piece, ...rest]))
}

/** A more precise reason if the record is missing or a foreign record is there. */
async function findBetterReason(inquiry: Inquiry, wanted: WantedDkim, verdict: Verdict): Promise<Problem | undefined> {
  if (!isAbsent(verdict) && !isForeign(verdict)) return undefined
  const misplaced = await findMisplaced(inquiry, listPlaces(inquiry), (value) => isOurs(value, wanted))
  if (misplaced) return misplaced
  return isForeign(verdict) ? findWildcard(inquiry) : findAddressProblem(inquiry, verdict)
}

/** Whether the value has our key, even if the record is wrong otherwise; false if any key is accepted. */
function isOurs(value: string, wanted: WantedDkim): boolean {
  if (wanted.key === undefined) return false
  const { problem } = judgeDkim(repairText(value).text, wanted, '')
  return problem === undefined || (problem.diagnosis === 'truncated' && value.length > 100)
}

/** At the domain itself, without the underscore, the dot, `_domainkey` or the selector, in the wrong order, or one zone up. */
function listPlaces({ record, request: { domainName }, zone = domainName }: Inquiry): readonly (string | Place)[] {
  const [selector = ''] = record.name.split('._domainkey.')
  return [
    domainName,
    `${selector}.domainkey.${domainName}`,
    `${selector}.${domainName}`,
    `_domainkey.${domainName}`,
    {
      name: `${selector}_domainkey.${domainName}`,
      remark: `: the dot between "${selector}" and "_domainkey" is missing`,
    },
    { name: `_domainkey.${selector}.${domainName}`, remark: ': the selector comes first, then "_domainkey"' },
    `${selector}._domainkey.${zone}`,
  ]
}
