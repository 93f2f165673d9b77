/** POST /v1/domains/{name}/verify: the full report of a check. */
import { REPORT_OUTCOMES } from '../../../domains/checks/domain-report.ts'
import * as t from '../../../lib/json-schema.ts'
import { DomainDetailSchema, DomainErrorSchema, PublishedRecordSchema } from './domains.wire.ts'
import { SpfTreeSchema } from './spf-tree.wire.ts'

export const DNS_ANSWERS = [
  'records',
  'alias',
  'alias_loop',
  'no_such_name',
  'no_such_type',
  'unreachable',
  'stale',
] as const

export const CheckedRecordSchema = t.named('CheckedRecord', {
  ...PublishedRecordSchema.properties,
  diagnosis: t.optional(t.text('Stable name of the problem.')),
  meaning: t.optional(t.text('The diagnosis in words.')),
  warnings: t.list(t.text(), 'Problems that do not fail the check but should be fixed.'),
  cautions: t.list(
    t.object({
      diagnosis: t.text('Stable name of the problem.'),
      meaning: t.text('The diagnosis in words.'),
      text: t.text('What is wrong and how to fix it; also one of `warnings`.'),
    }),
    'The warnings that have a diagnosis. The record is correct, but only because receivers evaluate our mechanism before ' +
      'they stop, for example at the eleventh DNS lookup.',
  ),
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
