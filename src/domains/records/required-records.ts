/** The DNS records that a domain is to publish, and which of them verification requires. */

import type { DkimKey, RequiredDnsRecord } from '../domain.ts'
import { dkimRecordName, dkimRecordValue } from './dkim-key.ts'

export interface RequiredRecordsOptions {
  /** Name of the operator's own SPF record, which lists the addresses that mail is sent from. */
  readonly spfInclude: string
  /** The return-path label below the domain, and the operator's host that receives bounces. */
  readonly returnPath?: HostBelow | undefined
  /** The label of tracking links, and the operator's host that counts the clicks. */
  readonly tracking?: HostBelow | undefined
  /** The operator's host that receives mail for the domain. */
  readonly mxHost?: string | undefined
  /** Records that verification requires in addition to DKIM and SPF. */
  readonly alsoRequired?: readonly OptionalPurpose[]
}

export interface HostBelow {
  /** Prepended to the domain. */
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
    pending({ type, name, value, purpose, required: alsoRequired.includes(purpose) })
  const spf = `v=spf1 include:${spfInclude} ~all`
  return [
    { ...dkimRecord(domainName, dkimKey), required: true },
    pending({ type: 'TXT', name: domainName, value: spf, purpose: 'SPF', required: true }),
    // The mildest policy: it requests no action, but large receivers expect a record (RFC 7489 section 6.3).
    optional('TXT', 'DMARC', `_dmarc.${domainName}`, 'v=DMARC1; p=none'),
    ...(returnPath ? [optional('CNAME', 'RETURN_PATH', `${returnPath.label}.${domainName}`, returnPath.host)] : []),
    ...(tracking ? [optional('CNAME', 'TRACKING', `${tracking.label}.${domainName}`, tracking.host)] : []),
    ...(mxHost === undefined ? [] : [optional('MX', 'MX', domainName, `10 ${mxHost}`)]),
  ]
}

/** The record of a key that is not in use yet, and so not required. */
export function dkimRecord(
  domainName: string,
  { selector, publicKey, algorithm = 'rsa' }: PublishedKey,
): RequiredDnsRecord {
  const name = dkimRecordName(domainName, selector)
  const value = dkimRecordValue({ algorithm, publicKey })
  return pending({ type: 'TXT', name, value, purpose: 'DKIM', required: false })
}

function pending(record: Omit<RequiredDnsRecord, 'status' | 'actual'>): RequiredDnsRecord {
  return { ...record, status: 'pending', actual: [] }
}
