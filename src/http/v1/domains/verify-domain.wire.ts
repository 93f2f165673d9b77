/** POST /v1/domains/{name}/verify: the whole report of a check. */
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

/** Trees have no end that a schema could tell: `policy` holds terms, which hold a `policy` where they include one. */
const SpfPolicySchema = Type.Unsafe<SpfNodeJson>({
  type: 'object',
  description:
    'The policy of one domain: `{domain, kind, text?, problems?, texts?, reason?, terms}`; each term is `{text, lookup?, ' +
    'behind?, target?, voidFor?, problem?, policy?}`, with the policy of an include or redirect that was followed.',
})

export const SpfTreeSchema = named(
  'SpfTree',
  Type.Object({
    lookups: count('What a sender that nothing matches costs.'),
    lookupsMax: count('More than this, and receivers give up: 10.'),
    voidLookups: Type.Object({ ip4: count('For senders with IPv4.'), ip6: count('For senders with IPv6.') }),
    voidLookupsMax: count('More than this, and receivers give up: 2.'),
    isComplete: Type.Boolean({ description: 'False where something could not be looked at: then there may be more.' }),
    policy: SpfPolicySchema,
    lines: Type.Array(Type.String(), { description: 'The same as lines of text, for people.' }),
  }),
)
export type SpfTreeReport = Static<typeof SpfTreeSchema>

export const CheckedRecordSchema = named(
  'CheckedRecord',
  Type.Object({
    ...PublishedRecordSchema.properties,
    diagnosis: Type.Optional(Type.String({ description: 'Which of the known mistakes it is: a stable name.' })),
    meaning: Type.Optional(Type.String({ description: 'The diagnosis in words.' })),
    warnings: Type.Array(Type.String(), { description: 'What works today and should be looked at.' }),
    asked: Type.Array(
      Type.Object({
        server: Type.String({ description: "One of the zone's own name servers, or a resolver." }),
        kind: Type.Enum(['authoritative', 'resolver'], { type: 'string' }),
        answer: Type.Enum([...DNS_ANSWERS], {
          type: 'string',
          description: '`stale`: a resolver that still remembers something else than what the zone says now.',
        }),
      }),
      { description: 'Who was asked for the record itself, and what kind of answer came.' },
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
          '`all_right`, `record_wrong`, `dns_unreachable` (which changes nothing), or `not_checked`: the domain is not ' +
          'active, or has no key, so that there was nothing to ask DNS for.',
      }),
      errors: Type.Array(ref(DomainErrorSchema), { description: 'What makes verification fail; empty when verified.' }),
      records: Type.Array(ref(CheckedRecordSchema), { description: 'Empty where nothing was checked.' }),
      spf: Type.Optional(ref(SpfTreeSchema)),
      domain: ref(DomainDetailSchema),
    },
    { description: 'What a check found.' },
  ),
)
export type DomainCheck = Static<typeof DomainCheckSchema>
