/** A sender domain of a tenant: what it must publish in DNS and how far it got. */

export const DNS_RECORD_PURPOSES = ['DKIM', 'SPF', 'DMARC', 'RETURN_PATH', 'TRACKING'] as const
export type DnsRecordPurpose = (typeof DNS_RECORD_PURPOSES)[number]

export const DNS_RECORD_STATUSES = ['pending', 'valid', 'invalid', 'unknown'] as const
export type DnsRecordStatus = (typeof DNS_RECORD_STATUSES)[number]

export interface RequiredDnsRecord {
  readonly type: 'TXT' | 'CNAME' | 'MX'
  readonly name: string
  readonly value: string
  readonly purpose: DnsRecordPurpose
  /** Whether verification fails without it. */
  readonly required: boolean
  readonly status: DnsRecordStatus
  /** What the last check saw at this name. */
  readonly actual: readonly string[]
}

export const VERIFICATION_ERROR_TYPES = ['TXT', 'CNAME', 'MX', 'CONFIG', 'SYSTEM'] as const
export type VerificationErrorType = (typeof VERIFICATION_ERROR_TYPES)[number]

export interface VerificationError {
  readonly type: VerificationErrorType
  readonly error: string
  readonly required: readonly string[]
  readonly actual: readonly string[]
}

export interface DkimKey {
  readonly selector: string
  /** SubjectPublicKeyInfo, DER, base64: the `p=` tag. */
  readonly publicKey: string
  /** PKCS #8 PEM sealed under the key in the data folder. */
  readonly sealedPrivateKey: Uint8Array
}

export interface DomainFlags {
  readonly isActive: boolean
  readonly isApproved: boolean
  readonly isVerified: boolean
}

export interface Domain extends DomainFlags {
  /** UUID, public. */
  readonly id: string
  /** Small integer, internal: what event stores refer to. Assigned by the store. */
  readonly number: number
  readonly tenantId: string
  /** ASCII form, lower case, no trailing dot. Unique over all tenants. */
  readonly name: string
  readonly description: string
  readonly sendingEmail: string
  readonly dnsRecords: readonly RequiredDnsRecord[]
  /** Absent when we hold no key for the domain; verification then answers CONFIG. */
  readonly dkimKey?: DkimKey
  readonly lastVerificationErrors: readonly VerificationError[]
  readonly lastVerificationCheckedAtMs?: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
