/** The SPF policy of a domain as receivers evaluate it. */
import type { SpfNodeJson } from '../../../domains/checks/report-json.ts'
import * as t from '../../../lib/json-schema.ts'

/** Not described by a schema because it is recursive: a policy has terms, and a term that includes a policy has it as `policy`. */
const SpfPolicySchema = t.raw<SpfNodeJson>(
  { type: 'object' },
  'The policy of one domain: `{domain, kind, text?, problems?, texts?, reason?, terms}`; each term is `{text, lookup?, ' +
    'behind?, target?, voidFor?, problem?, policy?}`, with the policy of an include or redirect that was followed.',
)

export const SpfTreeSchema = t.named('SpfTree', 'An SPF policy, as found by the last check that could read it.', {
  lookups: t.count('Lookups needed for a sender that matches no mechanism.'),
  lookupsMax: t.count('Limit above which receivers reject the policy: 10.'),
  voidLookups: t.object({ ip4: t.count('For senders with IPv4.'), ip6: t.count('For senders with IPv6.') }),
  voidLookupsMax: t.count('Limit above which receivers reject the policy: 2.'),
  isComplete: t.flag('False if a part of the policy could not be evaluated: the numbers may be higher then.'),
  policy: SpfPolicySchema,
  lines: t.list(t.text(), 'The same tree as lines of text.'),
  checkedAt: t.time('When DNS was queried for it.'),
})
export type SpfTreeReport = t.Static<typeof SpfTreeSchema>
