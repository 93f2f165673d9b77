/** Checks whether mail for the domain is delivered to us (RFC 5321 section 5.1). */
import { exchangesOf } from '../../spf/tree/spf-dns.ts'
import { isAbsent } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { judgeRecord } from '../judging/judge-record.ts'
import { listSome } from '../judging/plain-words.ts'
import { rightRecord, type Verdict, withProblem, wrongRecord } from '../judging/verdict.ts'
import { findDomainAlias } from '../mistakes/domain-alias.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'

export async function checkMx(inquiry: Inquiry): Promise<Verdict> {
  const { name, value } = inquiry.record
  const [wanted = ''] = readExchanges([value])
  const { verdict, answer } = await judgeRecord(inquiry, ({ values }) => judgeValues(name, wanted, values))
  const alias = await findDomainAlias(inquiry, answer, verdict)
  if (alias) return withProblem(verdict, alias)
  if (!isAbsent(verdict)) return verdict
  return withProblem(verdict, await findMisplaced(inquiry, [], (other) => readExchanges([other])[0] === wanted))
}

function judgeValues(name: string, wanted: string, values: readonly string[]): Verdict {
  const exchanges = readExchanges(values)
  if (exchanges[0] === wanted) return rightRecord(values)
  if (exchanges.includes(wanted)) {
    const warning = `${wanted} is not the most preferred MX of ${name}: mail goes to ${exchanges[0]} while that host answers.`
    return rightRecord(values, [warning])
  }
  // RFC 7505.
  if (exchanges.length === 0) {
    const text = `The MX record at ${name} says that the domain accepts no mail (null MX, "."). Replace it with the required record.`
    return wrongRecord(['0 .'], 'wrong_target', text)
  }
  const text = `The MX records at ${name} point to ${listSome(exchanges)}. Add the required record, with a lower preference number than the others.`
  return wrongRecord(values, 'wrong_target', text)
}

/** Most preferred first. */
function readExchanges(values: readonly string[]): readonly string[] {
  return exchangesOf({ kind: 'records', values })
}
