/** Checks whether the host name of tracking links points to our host. */
import type { RequiredDnsRecord } from '../../domain.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { rightRecord, type Verdict } from '../judging/verdict.ts'
import { checkAlias, isFlattenedToOurs } from './alias-target.ts'

export async function checkTracking(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { domainName }: CheckRequest,
): Promise<Verdict> {
  const verdict = await checkAlias(record, inquiry, domainName)
  if (!(await isFlattenedToOurs(record, verdict, inquiry))) return verdict
  // Links only need the addresses.
  const warning =
    `Your DNS provider publishes the addresses of ${record.value} at ${record.name} instead of the CNAME ("CNAME ` +
    'flattening"). That works until the addresses change; turn it off for this name if you can.'
  return rightRecord(verdict.actual, [warning, ...verdict.warnings])
}
