/** A sender domain of a tenant: the DNS records it must publish, and its verification state. */

export const DNS_RECORD_PURPOSES = ['DKIM', 'SPF', 'DMARC', 'RETURN_PATH', 'TRACKING', 'MX'] as const
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
  /** The values that the last check found at this name. */
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

export const DKIM_ALGORITHMS = ['rsa', 'ed25519'] as const
export type DkimAlgorithm = (typeof DKIM_ALGORITHMS)[number]

/**
 * `next`: created, to be published and then seen by a check. `current`: its record is required. `previous`: no longer
 * required, but mail signed with it may still be in transit.
 */
export const DKIM_KEY_STATES = ['next', 'current', 'previous'] as const
export type DkimKeyState = (typeof DKIM_KEY_STATES)[number]

export interface DkimKey {
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** The `p=` tag, base64: SubjectPublicKeyInfo (RFC 6376 section 3.6.1), or the bare 32 bytes of Ed25519 (RFC 8463 section 4). */
  readonly publicKey: string
  /** PKCS #8 PEM sealed under the key in the data folder. */
  readonly sealedPrivateKey: Uint8Array
  readonly state: DkimKeyState
  readonly createdAtMs: number
}

export interface DomainFlags {
  readonly isActive: boolean
  readonly isApproved: boolean
  readonly isVerified: boolean
}

/** The flags, and the state between checks that decides about them. */
export interface VerificationState extends DomainFlags {
  /** When a scheduled check first found a record of a verified domain wrong. Absent if none is, or the flags are gone. */
  readonly failingSinceMs?: number
}

/** The next automatic check of a domain. */
export interface RecheckPlan {
  readonly atMs: number
  /** Step of the retry ladder, which determines the wait after the next check. */
  readonly step: number
}

export interface Domain extends VerificationState {
  /** UUID, public. */
  readonly id: string
  /** Small integer, internal: what event stores refer to. Assigned by the store and permanent: never used again. */
  readonly number: number
  readonly tenantId: string
  /** ASCII form, lower case, no trailing dot. Unique over all tenants. */
  readonly name: string
  readonly description: string
  readonly sendingEmail: string
  readonly dnsRecords: readonly RequiredDnsRecord[]
  /** At most one is `current` and one `next`. Without a current one, verification reports CONFIG. */
  readonly dkimKeys: readonly DkimKey[]
  readonly lastVerificationErrors: readonly VerificationError[]
  readonly lastVerificationCheckedAtMs?: number
  /** When it was deactivated: its events are not accepted since. Absent if it is active, or never was. */
  readonly deactivatedAtMs?: number
  /**
   * Its tenant added it and has not proven yet that it is theirs: no events are accepted for it. The name is reserved until then.
   * Absent: proven by a successful check, or added or activated by the operator.
   */
  readonly proofDueAtMs?: number
  /** Absent: no check is scheduled, as for inactive domains. */
  readonly recheck?: RecheckPlan
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
