/** Checks whether a DMARC policy is published for the domain, and whether our mail is aligned with it (RFC 7489). */
import { organizationalDomain } from '../../domain-name.ts'
import { printable } from '../../printable-text.ts'
import { isAbsent, isForeign } from '../judging/absence.ts'
import type { CheckRequest, Inquiry } from '../judging/inquiry.ts'
import { judgeRecord } from '../judging/judge-record.ts'
import { faultyRecord, rightRecord, type Verdict, withProblem, wrongRecord } from '../judging/verdict.ts'
import { describeDamage, repairText } from '../mistakes/copied-text.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'
import { listAlignmentWarnings } from './dmarc-alignment.ts'
import { isDmarcRecord, readDmarcRecord } from './dmarc-record.ts'

export async function checkDmarc(inquiry: Inquiry): Promise<Verdict> {
  const { record, request } = inquiry
  const { domainName } = request
  const { verdict } = await judgeRecord(inquiry, ({ values }) => judgeValues(record.name, values, request))
  if (!isAbsent(verdict) && !isForeign(verdict)) return verdict
  const inherited = await findInherited(inquiry)
  if (inherited) return inherited
  const places = [domainName, `dmarc.${domainName}`, `_dmarc.${inquiry.zone ?? domainName}`]
  const wildcard = isForeign(verdict) ? await findWildcard(inquiry) : undefined
  return withProblem(verdict, wildcard ?? (await findMisplaced(inquiry, places, isDmarcRecord)))
}

/** RFC 7489 6.6.3: other TXT records are ignored; several DMARC records count as none. */
function judgeValues(name: string, values: readonly string[], request: CheckRequest): Verdict {
  const [value, ...others] = values.filter(isDmarcRecord)
  if (value === undefined) {
    const damaged = values.map(repairText).find(({ text, damages }) => damages.length > 0 && isDmarcRecord(text))
    if (damaged) return faultyRecord(values, describeDamage(name, damaged.damages))
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
async function findInherited(inquiry: Inquiry): Promise<Verdict | undefined> {
  const { request } = inquiry
  const organization = organizationalDomain(request.domainName)
  if (organization === request.domainName) return undefined
  const name = `_dmarc.${organization}`
  const answer = await inquiry.resolve(name, 'TXT')
  if (answer.kind !== 'records') return undefined
  const verdict = judgeValues(name, answer.values, request)
  if (verdict.status !== 'valid') return undefined
  const note = `${request.domainName} has no DMARC record of its own; the one at ${name} applies.`
  return { ...verdict, warnings: [note, ...verdict.warnings] }
}
