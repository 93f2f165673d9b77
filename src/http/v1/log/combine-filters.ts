/** Filters of the parameters and those of the search text: an event has to match both. */
import { normalizeDomainName } from '../../../domains/domain-name.ts'
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { CodeRange, LogFilters } from '../../../events/log/log-query.ts'
import { known } from '../../../lib/known.ts'

export type AskedFilters = Pick<AskedLog, 'domains' | 'withoutDomains' | 'filters'>

/** A combination that no event can match names no domain, so that nothing is read for it. */
export function combineFilters(some: AskedFilters, others: AskedFilters): AskedFilters {
  const [a, b] = [some.filters, others.filters]
  const both = {
    types: common(a.types, b.types),
    codes: commonCodes(a.codes, b.codes),
    providers: common(a.providers, b.providers),
    classifications: common(a.classifications, b.classifications),
    replies: common(a.replies, b.replies),
    sendingAddresses: common(a.sendingAddresses, b.sendingAddresses),
    sendingSources: common(a.sendingSources, b.sendingSources),
    sendingPools: common(a.sendingPools, b.sendingPools),
  }
  const messageIds = common(listOf(a.messageId), listOf(b.messageId))
  const isImpossible = [...Object.values(both), messageIds].some((values) => values?.length === 0)
  const domains = common(some.domains?.map(toName), others.domains?.map(toName))
  return known({
    domains: isImpossible ? [] : domains,
    withoutDomains: all(some.withoutDomains, others.withoutDomains),
    filters: known<LogFilters>({
      ...a,
      ...b,
      ...known(isImpossible ? {} : { ...both, messageId: messageIds?.[0] }),
      ...known({ texts: all(a.texts, b.texts), answers: all(a.answers, b.answers), without: withoutBoth(a, b) }),
    }),
  }) as AskedFilters
}

function withoutBoth({ without: a = {} }: LogFilters, { without: b = {} }: LogFilters): LogFilters['without'] {
  const both = known({
    types: all(a.types, b.types),
    codes: all(a.codes, b.codes),
    providers: all(a.providers, b.providers),
    classifications: all(a.classifications, b.classifications),
    sendingAddresses: all(a.sendingAddresses, b.sendingAddresses),
    sendingSources: all(a.sendingSources, b.sendingSources),
    sendingPools: all(a.sendingPools, b.sendingPools),
    texts: all(a.texts, b.texts),
    answers: all(a.answers, b.answers),
    replies: all(a.replies, b.replies),
  })
  return Object.keys(both).length === 0 ? undefined : both
}

function listOf(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : [value]
}

function toName(text: string): string {
  return normalizeDomainName(text) ?? text
}

function all<T>(some: readonly T[] | undefined, others: readonly T[] | undefined): readonly T[] | undefined {
  return some && others ? [...some, ...others] : (some ?? others)
}

function common<T>(some: readonly T[] | undefined, others: readonly T[] | undefined): readonly T[] | undefined {
  return some && others ? some.filter((value) => others.includes(value)) : (some ?? others)
}

function commonCodes(
  some: readonly CodeRange[] | undefined,
  others: readonly CodeRange[] | undefined,
): readonly CodeRange[] | undefined {
  if (!some || !others) return some ?? others
  return some.flatMap((a) =>
    others
      .map((b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }))
      .filter(({ from, to }) => from <= to),
  )
}
