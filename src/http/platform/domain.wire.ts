/** Sections 2.2 and 2.3 of the interface: a domain, its DNS records and its verification errors. */
import { Type } from 'typebox'
import {
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  type Domain,
  type RequiredDnsRecord,
  VERIFICATION_ERROR_TYPES,
  type VerificationError,
} from '../../domains/domain.ts'
import { toIsoTime } from '../../lib/clock.ts'

export const VERIFICATION_ERROR = 'VerificationError'
const DNS_RECORD = 'DnsRecord'
export const DOMAIN = 'Domain'

const time = (description: string) => Type.String({ format: 'date-time', description })

export const VerificationErrorSchema = Type.Object(
  {
    type: Type.Enum([...VERIFICATION_ERROR_TYPES], {
      type: 'string',
      description:
        'Error category: the type of the record at fault (`TXT`, `CNAME`, `MX`), `CONFIG` (the domain is not active yet, or ' +
        'has no DKIM key) or `SYSTEM` (DNS could not be queried; the status of the domain is unchanged).',
    }),
    error: Type.String({ description: 'What is wrong and how to fix it.' }),
    required: Type.Array(Type.String(), { description: 'Expected DNS record value(s).' }),
    actual: Type.Array(Type.String(), { description: 'DNS record value(s) actually found.' }),
  },
  { $id: VERIFICATION_ERROR, description: 'Why a verification failed.' },
)

export const DnsRecordSchema = Type.Object(
  {
    type: Type.Enum(['TXT', 'CNAME', 'MX'], { type: 'string', description: 'Type of the DNS record.' }),
    name: Type.String({ description: 'Full name to publish the record at.' }),
    value: Type.String({ description: 'Value to publish.' }),
    purpose: Type.Enum([...DNS_RECORD_PURPOSES], { type: 'string', description: 'What the record is for.' }),
    required: Type.Boolean({ description: 'Whether verification fails without it.' }),
    status: Type.Enum([...DNS_RECORD_STATUSES], {
      type: 'string',
      description: 'What the last check found: `pending` before the first, `unknown` if DNS could not be queried.',
    }),
    actual: Type.Array(Type.String(), { description: 'Values that the last check found at this name.' }),
  },
  { $id: DNS_RECORD, description: 'A DNS record that the domain needs.' },
)

export const DomainSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Domain id, used in the verify path.' }),
    createdAt: time('Creation time.'),
    updatedAt: time('Last update time; default sort key.'),
    name: Type.String({ description: 'Domain name, in its ASCII form.' }),
    description: Type.String({ description: 'Description.' }),
    sendingEmail: Type.String({ description: 'Sending address of the domain.' }),
    dnsRecords: Type.Array(Type.Ref(DNS_RECORD), { description: 'DNS records the domain requires.' }),
    isActive: Type.Boolean({ description: 'Set by the operator. Only an active domain can be verified.' }),
    isApproved: Type.Boolean({ description: 'Set and cleared together with `isVerified`.' }),
    isVerified: Type.Boolean({
      description:
        'Whether all required records were correct at the last conclusive check. A DNS outage never changes it.',
    }),
    lastVerificationErrors: Type.Array(Type.Ref(VERIFICATION_ERROR), {
      description: 'Errors from the most recent verification check; empty when it succeeded or there was none.',
    }),
    lastVerificationCheckedAt: Type.Optional(
      time('Time of the most recent verification check; absent before the first.'),
    ),
  },
  { $id: DOMAIN, description: 'A sender domain.' },
)

/** Lists the fields explicitly, so that the private key and any future field of a domain stay internal. */
export function toWireDomain(domain: Domain) {
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
