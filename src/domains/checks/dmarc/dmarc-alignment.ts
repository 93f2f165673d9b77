/** Whether our mail is aligned with a DMARC policy that asks for strict alignment (RFC 7489 section 3.1). */
import type { CheckRequest } from '../judging/inquiry.ts'
import type { DmarcRecord } from './dmarc-record.ts'

/**
 * Mail is signed by the domain itself, the From address is `sendingEmail`, and bounces go to the return-path host, if
 * there is one. All of these names belong to one organization, so only strict alignment can fail.
 */
export function listAlignmentWarnings(
  name: string,
  { dkimAlignment, spfAlignment }: DmarcRecord,
  { domainName, sendingEmail, records }: CheckRequest,
): readonly string[] {
  const fromHost = sendingEmail?.slice(sendingEmail.lastIndexOf('@') + 1).toLowerCase() ?? domainName
  const returnHost = records.find(({ purpose }) => purpose === 'RETURN_PATH')?.name ?? fromHost
  const warnings: string[] = []
  if (dkimAlignment === 'strict' && fromHost !== domainName) {
    warnings.push(
      `The DMARC record at ${name} says adkim=s (strict alignment), but mail from addresses at ${fromHost} is signed by ${domainName}, so DKIM is not aligned. Write adkim=r.`,
    )
  }
  if (spfAlignment === 'strict' && returnHost !== fromHost) {
    warnings.push(
      `The DMARC record at ${name} says aspf=s (strict alignment), but mail from addresses at ${fromHost} has its return path at ${returnHost}, so SPF is not aligned. Write aspf=r.`,
    )
  }
  return warnings
}
