/** Whether our mail will be in alignment with a DMARC policy that asks for the very same names (RFC 7489 section 3.1). */
import type { CheckRequest } from './check-request.ts'
import type { DmarcRecord } from './dmarc-record.ts'

/**
 * Signatures are those of the domain itself, the From address is `sendingEmail`, and bounces come back to the return-path
 * host, where there is one. All of them are names of one organization, so only strict alignment can fail.
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
      `The DMARC record at ${name} says adkim=s: mail from addresses at ${fromHost} is signed by ${domainName}, which is then not close enough. Write adkim=r.`,
    )
  }
  if (spfAlignment === 'strict' && returnHost !== fromHost) {
    warnings.push(
      `The DMARC record at ${name} says aspf=s: mail from addresses at ${fromHost} has its return path at ${returnHost}, which is then not close enough. Write aspf=r.`,
    )
  }
  return warnings
}
