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
  failing_since_ms: number | null
  dkim_keys: string
  last_verification_errors: string
  last_verification_checked_at_ms: number | null
  next_check_at_ms: number | null
  recheck_step: number
  created_at_ms: number
  updated_at_ms: number
}

/** The JSON texts were written by the store from the types that they are read as. */
export function toDomain(row: DomainRow): Domain {
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
    ...(row.failing_since_ms !== null && { failingSinceMs: row.failing_since_ms }),
    dnsRecords,
    dkimKeys: parseDkimKeys(row.dkim_keys),
    lastVerificationErrors,
    ...(row.last_verification_checked_at_ms !== null && {
      lastVerificationCheckedAtMs: row.last_verification_checked_at_ms,
    }),
    ...(row.next_check_at_ms !== null && { recheck: { atMs: row.next_check_at_ms, step: row.recheck_step } }),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

type StoredDkimKey = Omit<DkimKey, 'sealedPrivateKey'> & { readonly sealedPrivateKey: string }

function parseDkimKeys(text: string): readonly DkimKey[] {
  const keys: readonly StoredDkimKey[] = JSON.parse(text)
  return keys.map((key) => ({ ...key, sealedPrivateKey: Uint8Array.from(Buffer.from(key.sealedPrivateKey, 'hex')) }))
}

export function formatDkimKeys(keys: readonly DkimKey[]): string {
  const stored = keys.map((key): StoredDkimKey => ({ ...key, sealedPrivateKey: toHex(key.sealedPrivateKey) }))
  return JSON.stringify(stored)
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
