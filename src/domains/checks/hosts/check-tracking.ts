/** Checks whether the host name of tracking links points to our host. */
import type { Inquiry } from '../judging/inquiry.ts'
import { rightRecord, type Verdict } from '../judging/verdict.ts'
import { areOurs, checkAlias } from './alias-target.ts'

export async function checkTracking(inquiry: Inquiry): Promise<Verdict> {
  const verdict = await checkAlias(inquiry)
  const { problem, actual, warnings } = verdict
  // Links only need the addresses.
  if (problem?.diagnosis !== 'flattened' || !(await areOurs(inquiry, actual))) return verdict
  const { name, value } = inquiry.record
  const warning =
    `Your DNS provider publishes the addresses of ${value} at ${name} instead of the CNAME ("CNAME ` +
    'flattening"). That works until the addresses change; turn it off for this name if you can.'
  return rightRecord(actual, [warning, ...warnings])
}
