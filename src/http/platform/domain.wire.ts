/** Sections 2.2 and 2.3 of the interface: a domain, its DNS records and its verification errors. */
import {
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  type Domain,
  type RequiredDnsRecord,
  VERIFICATION_ERROR_TYPES,
  type VerificationError,
} from '../../domains/domain.ts'
import { toIsoTime } from '../../lib/clock.ts'
import * as t from '../../lib/json-schema.ts'

export const DNS_RECORD_TYPES = ['TXT', 'CNAME', 'MX'] as const satisfies readonly RequiredDnsRecord['type'][]

export const VerificationErrorSchema = t.named('VerificationError', 'Why a verification failed.', {
  type: t.oneOf(
    VERIFICATION_ERROR_TYPES,
    'Error category: the type of the record at fault (`TXT`, `CNAME`, `MX`), `CONFIG` (the domain is not active yet, or ' +
      'has no DKIM key) or `SYSTEM` (DNS could not be queried; the status of the domain is unchanged).',
  ),
  error: t.text('What is wrong and how to fix it.'),
  required: t.list(t.text(), 'Expected DNS record value(s).'),
  actual: t.list(t.text(), 'DNS record value(s) actually found.'),
})

const DnsRecordSchema = t.named('DnsRecord', 'A DNS record that the domain needs.', {
  type: t.oneOf(DNS_RECORD_TYPES, 'Type of the DNS record.'),
  name: t.text('Full name to publish the record at.'),
  value: t.text('Value to publish.'),
  purpose: t.oneOf(DNS_RECORD_PURPOSES, 'What the record is for.'),
  required: t.flag('Whether verification fails without it.'),
  status: t.oneOf(
    DNS_RECORD_STATUSES,
    'What the last check found: `pending` before the first, `unknown` if DNS could not be queried.',
  ),
  actual: t.list(t.text(), 'Values that the last check found at this name.'),
})

export const DomainSchema = t.named('Domain', 'A sender domain.', {
  id: t.text('Domain id, used in the verify path.', { format: 'uuid' }),
  createdAt: t.time('Creation time.'),
  updatedAt: t.time('Last update time; default sort key.'),
  name: t.text('Domain name, in its ASCII form.'),
  description: t.text('Description.'),
  sendingEmail: t.text('Sending address of the domain.'),
  dnsRecords: t.list(t.ref(DnsRecordSchema), 'DNS records the domain requires.'),
  isActive: t.flag('Set by the operator. Only an active domain can be verified.'),
  isApproved: t.flag('Set and cleared together with `isVerified`.'),
  isVerified: t.flag(
    'Whether all required records were correct at the last conclusive check. A DNS outage never changes it.',
  ),
  lastVerificationErrors: t.list(
    t.ref(VerificationErrorSchema),
    'Errors from the most recent verification check; empty when it succeeded or there was none.',
  ),
  lastVerificationCheckedAt: t.optional(t.time('Time of the most recent verification check; absent before the first.')),
})

/** Lists the fields explicitly, so that the private key and any future field of a domain stay internal. */
export function toWireDomain(domain: Domain): t.Static<typeof DomainSchema> {
  const { lastVerificationCheckedAtMs: checkedAtMs } = domain
  return {
    id: domain.id,
    createdAt: toIsoTime(domain.createdAtMs),
    updatedAt: toIsoTime(domain.updatedAtMs),
    name: domain.name,
    description: domain.description,
    sendingEmail: domain.sendingEmail,
    dnsRecords: domain.dnsRecords.map(toWireRecord),
    isActive: domain.isActive,
    isApproved: domain.isApproved,
    isVerified: domain.isVerified,
    lastVerificationErrors: domain.lastVerificationErrors.map(toWireError),
    ...(checkedAtMs !== undefined && { lastVerificationCheckedAt: toIsoTime(checkedAtMs) }),
  }
}

function toWireRecord({ type, name, value, purpose, required, status, actual }: RequiredDnsRecord) {
  return { type, name, value, purpose, required, status, actual }
}

export function toWireError({ type, error, required, actual }: VerificationError) {
  return { type, error, required, actual }
}
