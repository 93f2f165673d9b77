/** POST /v1/domains/{name}/verify: the full report of a check. */
import { type Static, Type } from 'typebox'
import { REPORT_OUTCOMES } from '../../../domains/checks/domain-report.ts'
import type { SpfNodeJson } from '../../../domains/checks/report-json.ts'
import { count, named, ref } from '../schema.wire.ts'
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
const SpfPolicySchema = Type.Unsafe<SpfNodeJson>({
  type: 'object',
  description:
    'The policy of one domain: `{domain, kind, text?, problems?, texts?, reason?, terms}`; each term is `{text, lookup?, ' +
    'behind?, target?, voidFor?, problem?, policy?}`, with the policy of an include or redirect that was followed.',
})

export const SpfTreeSchema = named(
  'SpfTree',
  Type.Object({
    lookups: count('Lookups needed for a sender that matches no mechanism.'),
    lookupsMax: count('Limit above which receivers reject the policy: 10.'),
    voidLookups: Type.Object({ ip4: count('For senders with IPv4.'), ip6: count('For senders with IPv6.') }),
    voidLookupsMax: count('Limit above which receivers reject the policy: 2.'),
    isComplete: Type.Boolean({
      description: 'False if a part of the policy could not be evaluated: the numbers may be higher then.',
    }),
    policy: SpfPolicySchema,
    lines: Type.Array(Type.String(), { description: 'The same tree as lines of text.' }),
  }),
)
export type SpfTreeReport = Static<typeof SpfTreeSchema>

export const CheckedRecordSchema = named(
  'CheckedRecord',
  Type.Object({
    ...PublishedRecordSchema.properties,
    diagnosis: Type.Optional(Type.String({ description: 'Stable name of the problem.' })),
    meaning: Type.Optional(Type.String({ description: 'The diagnosis in words.' })),
    warnings: Type.Array(Type.String(), { description: 'Problems that do not fail the check but should be fixed.' }),
    asked: Type.Array(
      Type.Object({
        server: Type.String({ description: "One of the zone's own name servers, or a resolver." }),
        kind: Type.Enum(['authoritative', 'resolver'], { type: 'string' }),
        answer: Type.Enum([...DNS_ANSWERS], {
          type: 'string',
          description: '`stale`: the resolver still has an older answer in its cache.',
        }),
      }),
      { description: 'The servers that were queried for the record, and the kind of their answer.' },
    ),
  }),
)
export type CheckedRecord = Static<typeof CheckedRecordSchema>

export const DomainCheckSchema = named(
  'DomainCheck',
  Type.Object(
    {
      isVerified: Type.Boolean({ description: 'Result of this check.' }),
      outcome: Type.Enum([...REPORT_OUTCOMES, 'not_checked'], {
        type: 'string',
        description:
          '`all_right`, `record_wrong`, `dns_unreachable` (the status is unchanged), or `not_checked`: the domain is not ' +
          'active or has no DKIM key, so DNS was not queried.',
      }),
      errors: Type.Array(ref(DomainErrorSchema), { description: 'Why verification failed; empty if it succeeded.' }),
      records: Type.Array(ref(CheckedRecordSchema), { description: 'Empty if nothing was checked.' }),
      spf: Type.Optional(ref(SpfTreeSchema)),
      domain: ref(DomainDetailSchema),
    },
    { description: 'Result of a check.' },
  ),
)
export type DomainCheck = Static<typeof DomainCheckSchema>
