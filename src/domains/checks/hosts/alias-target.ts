/** Checks whether a name is a CNAME for one of our hosts. */
import { isAbsent } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { judgeRecord } from '../judging/judge-record.ts'
import { faultyRecord, rightRecord, type Verdict, withProblem, wrongRecord } from '../judging/verdict.ts'
import { describeFlattened, describeProxied, listAddresses } from '../mistakes/address-in-place.ts'
import { findMisplaced } from '../mistakes/misplaced.ts'
import { findWildcard } from '../mistakes/wildcard.ts'

export async function checkAlias(inquiry: Inquiry): Promise<Verdict> {
  const { name, value: wanted } = inquiry.record
  const { verdict } = await judgeRecord(inquiry, async ({ values }) => {
    // A chain of CNAMEs that reaches our host is fine.
    const chain = (await inquiry.resolve(name, 'A')).aliases.map(({ target }) => target)
    const [target = ''] = values
    const isOurs = target === wanted || (chain.includes(target) && chain.includes(wanted))
    return isOurs ? rightRecord(values) : describeForeign(inquiry, target, values)
  })
  if (verdict.problem?.diagnosis === 'wrong_target') return withProblem(verdict, await findWildcard(inquiry))
  if (!isAbsent(verdict)) return verdict
  const misplaced = await findMisplaced(inquiry, [], (value) => value === wanted)
  if (misplaced) return withProblem(verdict, misplaced)
  return (await judgeAddresses(inquiry)) ?? verdict
}

function describeForeign(
  { record: { name, value }, zone }: Inquiry,
  target: string,
  actual: readonly string[],
): Verdict {
  if (zone !== undefined && target === `${value}.${zone}`) {
    const text =
      `The CNAME at ${name} points to ${target}: your DNS provider appended ${zone} to the target. Enter the ` +
      `target with a trailing dot: ${value}.`
    return wrongRecord(actual, 'target_with_zone', text)
  }
  return wrongRecord(actual, 'wrong_target', `The CNAME at ${name} points to ${target}. Change its target to ${value}.`)
}

/** There is no CNAME, but addresses: of a proxy, of our host, or others. */
async function judgeAddresses(inquiry: Inquiry): Promise<Verdict | undefined> {
  const { record } = inquiry
  const addresses = await listAddresses(inquiry, record.name)
  if (addresses.length === 0) return undefined
  const isSame = await areOurs(inquiry, addresses)
  const other = isSame ? undefined : (describeProxied(record, addresses) ?? (await findWildcard(inquiry, 'A')))
  return faultyRecord(addresses, other ?? describeFlattened(record, addresses))
}

/** Whether all of the addresses are those of our host. */
export async function areOurs(inquiry: Inquiry, addresses: readonly string[]): Promise<boolean> {
  const ours = await listAddresses(inquiry, inquiry.record.value)
  return addresses.every((address) => ours.includes(address))
}
