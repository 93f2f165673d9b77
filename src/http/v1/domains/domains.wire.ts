/** GET /v1/domains and GET /v1/domains/{name}: a tenant's domains, and what each has to publish. */
import { type Static, Type } from 'typebox'
import {
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  VERIFICATION_ERROR_TYPES,
  type VerificationError,
} from '../../../domains/domain.ts'
import { DOMAIN_STANDINGS } from '../../../domains/domain-standing.ts'
import { named, ref, time, timeOrNull } from '../schema.wire.ts'

export const DomainNameParams = Type.Object({
  name: Type.String({ description: 'Domain name. Letter case and one trailing dot are ignored.' }),
})

export const DomainSummarySchema = named(
  'DomainSummary',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String({ description: 'In its ASCII form.' }),
      description: Type.String(),
      active: Type.Boolean({ description: 'Set by the operator. Only an active domain can be verified.' }),
      verified: Type.Boolean({ description: 'All required records were right at the last check that could tell.' }),
      dkimVerified: Type.Boolean({ description: 'The required DKIM record was right at the last check.' }),
      spfVerified: Type.Boolean({ description: 'The required SPF record was right at the last check.' }),
      lastCheckAt: timeOrNull('Null before the first check.'),
      nextCheckAt: timeOrNull('When it is checked again by itself; null for never.'),
      status: Type.Enum([...DOMAIN_STANDINGS], {
        type: 'string',
        description:
          '`inactive`, `unverified`, `verified`, or `failing`: verified, and found wrong by the last check; it loses its ' +
          'verification if the next one finds the same.',
      }),
      createdAt: time('When it was added.'),
      updatedAt: time('When it last changed.'),
    },
    { description: 'A sender domain at a glance.' },
  ),
)
export type DomainSummary = Static<typeof DomainSummarySchema>

export const DomainSummariesSchema = named(
  'DomainSummaries',
  Type.Object({ domains: Type.Array(ref(DomainSummarySchema), { description: 'By name.' }) }),
)
export type DomainSummaries = Static<typeof DomainSummariesSchema>

export const DomainErrorSchema = named(
  'DomainError',
  Type.Object({
    type: Type.Enum([...VERIFICATION_ERROR_TYPES], { type: 'string' }),
    error: Type.String({ description: 'What is wrong and what to do, for people.' }),
    required: Type.Array(Type.String()),
    actual: Type.Array(Type.String()),
  }),
)

/** A record to publish, in the two forms that the panels of DNS providers ask for. */
export const PublishedRecordSchema = named(
  'PublishedRecord',
  Type.Object({
    purpose: Type.Enum([...DNS_RECORD_PURPOSES], { type: 'string' }),
    type: Type.Enum(['TXT', 'CNAME', 'MX'], { type: 'string' }),
    name: Type.String({ description: 'Full name.' }),
    host: Type.String({
      description: 'The name relative to the zone, as most panels want it; `@` for the zone itself.',
    }),
    zone: Type.String({ description: 'The name that was registered, of which the DNS provider has the zone.' }),
    value: Type.String({ description: 'Value to publish.' }),
    required: Type.Boolean({ description: 'Whether verification fails without it.' }),
    status: Type.Enum([...DNS_RECORD_STATUSES], {
      type: 'string',
      description: 'What the last check found: `pending` before the first, `unknown` when DNS could not be asked.',
    }),
    wanted: Type.Array(Type.String(), {
      description: 'What should be there: `value`, or what fits better beside what is there already.',
    }),
    found: Type.Array(Type.String(), { description: 'What the last check saw at this name.' }),
    error: Type.Optional(Type.String({ description: 'What is wrong and what to do. Absent where nothing is.' })),
  }),
)
export type PublishedRecord = Static<typeof PublishedRecordSchema>

export const DomainDetailSchema = named(
  'DomainDetail',
  Type.Object(
    {
      ...DomainSummarySchema.properties,
      sendingEmail: Type.String({ description: 'Sending address of the domain.' }),
      records: Type.Array(ref(PublishedRecordSchema), { description: 'What the domain has to publish.' }),
      errors: Type.Array(ref(DomainErrorSchema), { description: 'Of the last check; empty when it succeeded.' }),
    },
    { description: 'A sender domain with its records.' },
  ),
)
export type DomainDetail = Static<typeof DomainDetailSchema>

export type DomainError = Static<typeof DomainErrorSchema>

/** Named field by field: whatever else an error may come to hold stays inside. */
export function toDomainError({ type, error, required, actual }: VerificationError): DomainError {
  return { type, error, required: [...required], actual: [...actual] }
}
