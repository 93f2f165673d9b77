/** GET /v1/domains and GET /v1/domains/{name}: a tenant's domains and the records to publish. */

import { REPORT_OUTCOMES } from '../../../domains/checks/domain-report.ts'
import {
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  VERIFICATION_ERROR_TYPES,
  type VerificationError,
} from '../../../domains/domain.ts'
import { DOMAIN_STANDINGS } from '../../../domains/domain-standing.ts'
import * as t from '../../../lib/json-schema.ts'
import { DNS_RECORD_TYPES } from '../../platform/domain.wire.ts'
import { SpfTreeSchema } from './spf-tree.wire.ts'

export const DomainNameParams = t.object({
  name: t.text('Domain name. Letter case and one trailing dot are ignored.'),
})

export const DomainSummarySchema = t.named('DomainSummary', 'Summary of a sender domain.', {
  id: t.text(undefined, { format: 'uuid' }),
  name: t.text('In its ASCII form.'),
  description: t.text(),
  active: t.flag('Set by the operator. Only an active domain can be verified.'),
  proven: t.flag(
    'False for a domain that the tenant added itself until its records are verified for the first time: only then are its ' +
      'events accepted.',
  ),
  verified: t.flag('Whether all required records were correct at the last conclusive check.'),
  dkimVerified: t.flag('Whether the required DKIM record was correct at the last check.'),
  spfVerified: t.flag('Whether the required SPF record was correct at the last check.'),
  dmarcVerified: t.flag('Whether the DMARC record, which is recommended, was correct at the last check.'),
  lastCheckAt: t.timeOrNull('Null before the first check.'),
  nextCheckAt: t.timeOrNull('Time of the next automatic check; null if none is scheduled.'),
  status: t.oneOf(
    DOMAIN_STANDINGS,
    '`inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the ' +
      'domain loses its verification if the next check finds one too.',
  ),
  createdAt: t.time('When it was added.'),
  updatedAt: t.time('When it last changed.'),
})
export type DomainSummary = t.Static<typeof DomainSummarySchema>

export const DomainSummariesSchema = t.named('DomainSummaries', {
  domains: t.list(t.ref(DomainSummarySchema), 'By name.'),
})
export type DomainSummaries = t.Static<typeof DomainSummariesSchema>

export const DomainErrorSchema = t.named('DomainError', {
  type: t.oneOf(VERIFICATION_ERROR_TYPES),
  error: t.text('What is wrong and how to fix it.'),
  required: t.list(t.text()),
  actual: t.list(t.text()),
})
export type DomainError = t.Static<typeof DomainErrorSchema>

/** A record to publish, with its name in the two forms that DNS panels use. */
export const PublishedRecordSchema = t.named('PublishedRecord', {
  purpose: t.oneOf(DNS_RECORD_PURPOSES),
  type: t.oneOf(DNS_RECORD_TYPES),
  name: t.text('Full name.'),
  host: t.text('Name relative to the zone, as most DNS panels expect it; `@` for the zone itself.'),
  zone: t.text('The registered domain name, whose zone is at the DNS provider.'),
  value: t.text('Value to publish.'),
  required: t.flag('Whether verification fails without it.'),
  status: t.oneOf(
    DNS_RECORD_STATUSES,
    'What the last check found: `pending` before the first, `unknown` if DNS could not be queried.',
  ),
  wanted: t.list(t.text(), 'Expected values: `value`, or a variant that is compatible with the existing record.'),
  found: t.list(t.text(), 'Values that the last check found at this name.'),
  error: t.optional(t.text('What is wrong and how to fix it. Absent if nothing is wrong.')),
})
export type PublishedRecord = t.Static<typeof PublishedRecordSchema>

export const PastChecksSchema = t.named('PastChecks', 'Checks in a row that had the same result.', {
  outcome: t.oneOf(REPORT_OUTCOMES, '`all_right`, `record_wrong`, or `dns_unreachable`: the status is unchanged.'),
  wrong: t.list(t.oneOf(DNS_RECORD_PURPOSES), 'Records that were missing or wrong, including recommended ones.'),
  firstAt: t.time('Time of the first of these checks.'),
  lastAt: t.time('Time of the last of these checks.'),
  checks: t.count('Number of checks.'),
})
export type PastChecks = t.Static<typeof PastChecksSchema>

export const DomainDetailSchema = t.named('DomainDetail', 'A sender domain with its records.', {
  ...DomainSummarySchema.properties,
  sendingEmail: t.text('Sending address of the domain.'),
  records: t.list(t.ref(PublishedRecordSchema), 'Records to publish.'),
  errors: t.list(t.ref(DomainErrorSchema), 'Errors of the last check; empty if it succeeded.'),
  /** As found by the last check that could read it. Not in lists, and not if it is very long. */
  spf: t.optional(t.ref(SpfTreeSchema)),
  history: t.optional(t.list(t.ref(PastChecksSchema), 'Results of the latest checks, newest first. Not in lists.')),
})
export type DomainDetail = t.Static<typeof DomainDetailSchema>

export const OwnDomainBody = t.object({
  name: t.text('A host name of at least two labels that is not a public suffix.', { maxLength: 300 }),
  description: t.optional(t.text('At most 500 characters.', { maxLength: 500 })),
})

/** Lists the fields explicitly, so that any future field of an error stays internal. */
export function toDomainError({ type, error, required, actual }: VerificationError): DomainError {
  return { type, error, required, actual }
}
