/** A row of the table `domain` as a Domain. */
import type { DkimKey, Domain, RequiredDnsRecord, VerificationError } from '../../../domains/domain.ts'

export type DomainRow = {
  number: number
  id: string
  tenant_id: string
  name: string
  description: string
  sending_email: string
  is_active: number
  is_approved: number
  is_verified: number
  dns_records: string
  dkim_selector: string | null
  dkim_public_key: string | null
  dkim_sealed_private_key: Uint8Array | null
  last_verification_errors: string
  last_verification_checked_at_ms: number | null
  created_at_ms: number
  updated_at_ms: number
}

/** The JSON texts were written by the store from the very types they are read as. */
export function toDomain(row: DomainRow): Domain {
  const dkimKey = toDkimKey(row)
  const dnsRecords: readonly RequiredDnsRecord[] = JSON.parse(row.dns_records)
  const lastVerificationErrors: readonly VerificationError[] = JSON.parse(row.last_verification_errors)
  return {
    id: row.id,
    number: row.number,
    tenantId: row.tenant_id,
    name: row.name,
    description: row.description,
    sendingEmail: row.sending_email,
    isActive: row.is_active === 1,
    isApproved: row.is_approved === 1,
    isVerified: row.is_verified === 1,
    dnsRecords,
    ...(dkimKey && { dkimKey }),
    lastVerificationErrors,
    ...(row.last_verification_checked_at_ms !== null && {
      lastVerificationCheckedAtMs: row.last_verification_checked_at_ms,
    }),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

function toDkimKey(row: DomainRow): DkimKey | undefined {
  const { dkim_selector: selector, dkim_public_key: publicKey, dkim_sealed_private_key: sealedPrivateKey } = row
  if (selector === null || publicKey === null || sealedPrivateKey === null) return undefined
  return { selector, publicKey, sealedPrivateKey }
}
