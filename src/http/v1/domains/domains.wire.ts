/** GET /v1/domains and GET /v1/domains/{name}: a tenant's domains and the records to publish. */
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
      verified: Type.Boolean({
        description: 'Whether all required records were correct at the last conclusive check.',
      }),
      dkimVerified: Type.Boolean({ description: 'Whether the required DKIM record was correct at the last check.' }),
      spfVerified: Type.Boolean({ description: 'Whether the required SPF record was correct at the last check.' }),
      lastCheckAt: timeOrNull('Null before the first check.'),
      nextCheckAt: timeOrNull('Time of the next automatic check; null if none is scheduled.'),
      status: Type.Enum([...DOMAIN_STANDINGS], {
        type: 'string',
        description:
          '`inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the ' +
          'domain loses its verification if the next check finds one too.',
      }),
      createdAt: time('When it was added.'),
      updatedAt: time('When it last changed.'),
    },
    { description: 'Summary of a sender domain.' },
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
    error: Type.String({ description: 'What is wrong and how to fix it.' }),
    required: Type.Array(Type.String()),
    actual: Type.Array(Type.String()),
  }),
)

/** A record to publish, with its name in the two forms that DNS panels use. */
export const PublishedRecordSchema = named(
  'PublishedRecord',
  Type.Object({
    purpose: Type.Enum([...DNS_RECORD_PURPOSES], { type: 'string' }),
    type: Type.Enum(['TXT', 'CNAME', 'MX'], { type: 'string' }),
    name: Type.String({ description: 'Full name.' }),
    host: Type.String({
      description: 'Name relative to the zone, as most DNS panels expect it; `@` for the zone itself.',
    }),
    zone: Type.String({ description: 'The registered domain name, whose zone is at the DNS provider.' }),
    value: Type.String({ description: 'Value to publish.' }),
    required: Type.Boolean({ description: 'Whether verification fails without it.' }),
    status: Type.Enum([...DNS_RECORD_STATUSES], {
      type: 'string',
      description: 'What the last check found: `pending` before the first, `unknown` if DNS could not be queried.',
    }),
    wanted: Type.Array(Type.String(), {
      description: 'Expected values: `value`, or a variant that is compatible with the existing record.',
    }),
    found: Type.Array(Type.String(), { description: 'Values that the last check found at this name.' }),
    error: Type.Optional(Type.String({ description: 'What is wrong and how to fix it. Absent if nothing is wrong.' })),
  }),
)
export type PublishedRecord = Static<typeof PublishedRecordSchema>

export const DomainDetailSchema = named(
  'DomainDetail',
  Type.Object(
    {
      ...DomainSummarySchema.properties,
      sendingEmail: Type.String({ description: 'Sending address of the domain.' }),
      records: Type.Array(ref(PublishedRecordSchema), { description: 'Records to publish.' }),
      errors: Type.Array(ref(DomainErrorSchema), { description: 'Errors of the last check; empty if it succeeded.' }),
    },
    { description: 'A sender domain with its records.' },
  ),
)
export type DomainDetail = Static<typeof DomainDetailSchema>

export type DomainError = Static<typeof DomainErrorSchema>

/** Lists the fields explicitly, so that any future field of an error stays internal. */
export function toDomainError({ type, error, required, actual }: VerificationError): DomainError {
  return { type, error, required: [...required], actual: [...actual] }
}
