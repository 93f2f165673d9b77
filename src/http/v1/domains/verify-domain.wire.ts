/** POST /v1/domains/{name}/verify: the full report of a check. */
import { REPORT_OUTCOMES } from '../../../domains/checks/domain-report.ts'
import type { SpfNodeJson } from '../../../domains/checks/report-json.ts'
import * as t from '../../../lib/json-schema.ts'
import { DomainDetailSchema, DomainErrorSchema, PublishedRecordSchema } from './domains.wire.ts'

export const DNS_ANSWERS = [
  'records',
  'alias',
  'alias_loop',
  'no_such_name',
  'no_such_type',
  'unreachable',
  'stale',
] as const

/** Not described by a schema because it is recursive: a policy has terms, and a term that includes a policy has it as `policy`. */
const SpfPolicySchema = t.raw<SpfNodeJson>(
  { type: 'object' },
  'The policy of one domain: `{domain, kind, text?, problems?, texts?, reason?, terms}`; each term is `{text, lookup?, ' +
    'behind?, target?, voidFor?, problem?, policy?}`, with the policy of an include or redirect that was followed.',
)

export const SpfTreeSchema = t.named('SpfTree', {
  lookups: t.count('Lookups needed for a sender that matches no mechanism.'),
  lookupsMax: t.count('Limit above which receivers reject the policy: 10.'),
  voidLookups: t.object({ ip4: t.count('For senders with IPv4.'), ip6: t.count('For senders with IPv6.') }),
  voidLookupsMax: t.count('Limit above which receivers reject the policy: 2.'),
  isComplete: t.flag('False if a part of the policy could not be evaluated: the numbers may be higher then.'),
  policy: SpfPolicySchema,
  lines: t.list(t.text(), 'The same tree as lines of text.'),
})
export type SpfTreeReport = t.Static<typeof SpfTreeSchema>

export const CheckedRecordSchema = t.named('CheckedRecord', {
  ...PublishedRecordSchema.properties,
  diagnosis: t.optional(t.text('Stable name of the problem.')),
  meaning: t.optional(t.text('The diagnosis in words.')),
  warnings: t.list(t.text(), 'Problems that do not fail the check but should be fixed.'),
  asked: t.list(
    t.object({
      server: t.text("One of the zone's own name servers, or a resolver."),
      kind: t.oneOf(['authoritative', 'resolver']),
      answer: t.oneOf(DNS_ANSWERS, '`stale`: the resolver still has an older answer in its cache.'),
    }),
    'The servers that were queried for the record, and the kind of their answer.',
  ),
})
export type CheckedRecord = t.Static<typeof CheckedRecordSchema>

export const DomainCheckSchema = t.named('DomainCheck', 'Result of a check.', {
  isVerified: t.flag('Result of this check.'),
  outcome: t.oneOf(
    [...REPORT_OUTCOMES, 'not_checked'],
    '`all_right`, `record_wrong`, `dns_unreachable` (the status is unchanged), or `not_checked`: the domain is not ' +
      'active or has no DKIM key, so DNS was not queried.',
  ),
  errors: t.list(t.ref(DomainErrorSchema), 'Why verification failed; empty if it succeeded.'),
  records: t.list(t.ref(CheckedRecordSchema), 'Empty if nothing was checked.'),
  spf: t.optional(t.ref(SpfTreeSchema)),
  domain: t.ref(DomainDetailSchema),
})
export type DomainCheck = t.Static<typeof DomainCheckSchema>
