/** Whether the host of tracking links leads to ours. */
import type { RequiredDnsRecord } from '../domain.ts'
import { checkAlias, isFlattenedToOurs } from './alias-target.ts'
import type { CheckRequest } from './check-request.ts'
import type { Inquiry } from './inquiry.ts'
import { rightRecord, type Verdict } from './verdict.ts'

export async function checkTracking(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { domainName }: CheckRequest,
): Promise<Verdict> {
  const verdict = await checkAlias(record, inquiry, domainName)
  if (!(await isFlattenedToOurs(record, verdict, inquiry))) return verdict
  // Links only need the addresses.
  const warning =
    `Your DNS provider publishes the addresses of ${record.value} at ${record.name} in place of the CNAME ("flattening"). ` +
    'That works until the addresses change; if you can, switch it off for this name.'
  return rightRecord(verdict.actual, [warning, ...verdict.warnings])
}
