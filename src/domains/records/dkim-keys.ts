/** Finds a DKIM key of a domain by its state, and the DNS record of a key. */

import type { DkimKey, DkimKeyState, Domain, RequiredDnsRecord } from '../domain.ts'
import { dkimRecordName } from './dkim-key.ts'

export function findKeyInState(
  { dkimKeys }: Pick<Domain, 'dkimKeys'>,
  state: Exclude<DkimKeyState, 'previous'>,
): DkimKey | undefined {
  return dkimKeys.find((key) => key.state === state)
}

export function findKeyRecord(
  { name, dnsRecords }: Pick<Domain, 'name' | 'dnsRecords'>,
  { selector }: Pick<DkimKey, 'selector'>,
): RequiredDnsRecord | undefined {
  return dnsRecords.find((record) => record.purpose === 'DKIM' && record.name === dkimRecordName(name, selector))
}
