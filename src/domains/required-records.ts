/** What a domain publishes in DNS so that its mail can be trusted, and which of it verification fails without. */
import { dkimRecordName, dkimRecordValue } from './dkim-key.ts'
import type { DkimKey, DnsRecordPurpose, RequiredDnsRecord } from './domain.ts'

export interface RequiredRecordsOptions {
  /** The operator's own SPF record, which lists the addresses that mail is sent from. */
  readonly spfInclude: string
  /** The name to which bounces go, below the domain, and the host of the operator's that takes them. */
  readonly returnPath?: HostBelow | undefined
  /** The name of links in mail, and the operator's host that counts the clicks. */
  readonly tracking?: HostBelow | undefined
  /** The operator's host that takes the mail to the domain. */
  readonly mxHost?: string | undefined
  /** Records without which verification fails, beside DKIM and SPF. */
  readonly alsoRequired?: readonly OptionalPurpose[]
}

export interface HostBelow {
  /** In front of the domain. */
  readonly label: string
  readonly host: string
}

export const OPTIONAL_PURPOSES = ['DMARC', 'RETURN_PATH', 'TRACKING', 'MX'] as const
export type OptionalPurpose = (typeof OPTIONAL_PURPOSES)[number]

type PublishedKey = Pick<DkimKey, 'selector' | 'publicKey'> & Partial<Pick<DkimKey, 'algorithm'>>

export function requiredRecords(
  domainName: string,
  dkimKey: PublishedKey,
  options: RequiredRecordsOptions,
): readonly RequiredDnsRecord[] {
  const { spfInclude, returnPath, tracking, mxHost, alsoRequired = [] } = options
  const optional = (type: RequiredDnsRecord['type'], purpose: OptionalPurpose, name: string, value: string) =>
    pending(type, purpose, name, value, alsoRequired.includes(purpose))
  return [
    { ...dkimRecord(domainName, dkimKey), required: true },
    pending('TXT', 'SPF', domainName, `v=spf1 include:${spfInclude} ~all`, true),
    // The mildest policy: it asks for nothing, and large receivers want to see one (RFC 7489 section 6.3).
    optional('TXT', 'DMARC', `_dmarc.${domainName}`, 'v=DMARC1; p=none'),
    ...(returnPath ? [optional('CNAME', 'RETURN_PATH', `${returnPath.label}.${domainName}`, returnPath.host)] : []),
    ...(tracking ? [optional('CNAME', 'TRACKING', `${tracking.label}.${domainName}`, tracking.host)] : []),
    ...(mxHost === undefined ? [] : [optional('MX', 'MX', domainName, `10 ${mxHost}`)]),
  ]
}

/** The record of a key that is not in use yet: nothing depends on it. */
export function dkimRecord(
  domainName: string,
  { selector, publicKey, algorithm = 'rsa' }: PublishedKey,
): RequiredDnsRecord {
  const value = dkimRecordValue({ algorithm, publicKey })
  return pending('TXT', 'DKIM', dkimRecordName(domainName, selector), value, false)
}

function pending(
  type: RequiredDnsRecord['type'],
  purpose: DnsRecordPurpose,
  name: string,
  value: string,
  required: boolean,
): RequiredDnsRecord {
  return { type, name, value, purpose, required, status: 'pending', actual: [] }
}
