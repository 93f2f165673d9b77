/** What a domain must publish in DNS before its mail can be trusted. */
import { dkimRecordValue } from './dkim-key.ts'
import type { DkimKey, DnsRecordPurpose, RequiredDnsRecord } from './domain.ts'

export interface RequiredRecordsOptions {
  /** The operator's own SPF record, which lists the addresses that mail is sent from. */
  readonly spfInclude: string
}

export function requiredRecords(
  domainName: string,
  dkimKey: Pick<DkimKey, 'selector' | 'publicKey'>,
  options: RequiredRecordsOptions,
): readonly RequiredDnsRecord[] {
  return [
    pendingTxt('DKIM', `${dkimKey.selector}._domainkey.${domainName}`, dkimRecordValue(dkimKey.publicKey)),
    pendingTxt('SPF', domainName, `v=spf1 include:${options.spfInclude} ~all`),
  ]
}

function pendingTxt(purpose: DnsRecordPurpose, name: string, value: string): RequiredDnsRecord {
  return { type: 'TXT', name, value, purpose, required: true, status: 'pending', actual: [] }
}
