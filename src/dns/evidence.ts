/** Combines the answers about a name: the one to use, and how the configured resolvers differ from it. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolverStatement, DnsStep } from '../domains/dns-resolver.ts'
import { describeContent } from './zones/consensus.ts'
import type { Followed } from './zones/follow-aliases.ts'

/** The answer of one configured resolver. */
export interface Compared<T extends DnsRecordType> {
  readonly address: string
  readonly answer: DnsAnswer<T>
}

export function toEvidence<T extends DnsRecordType>(
  name: string,
  type: T,
  { steps, answer: heard }: Followed<T>,
  compared: readonly Compared<T>[],
): DnsEvidence<T> {
  const isUnanimous = steps.every(hasOneAnswer)
  // If the name servers disagree, a resolver with another answer is not stale.
  const toCompare = isUnanimous ? heard : undefined
  return {
    name,
    type,
    answer: heard ?? joinAnswers(compared),
    source: heard ? 'authoritative' : 'resolver',
    steps,
    isUnanimous,
    resolvers: compared.map((resolver) => judgeResolver(resolver, toCompare)),
  }
}

function hasOneAnswer({ agreeing, answered }: DnsStep): boolean {
  return agreeing === answered
}

/** The first answer that is not a failure; otherwise all reasons. */
function joinAnswers<T extends DnsRecordType>(compared: readonly Compared<T>[]): DnsAnswer<T> {
  const answers = compared.map(({ answer }) => answer)
  const said = answers.find(({ kind }) => kind !== 'unreachable')
  if (said) return said
  const failures = answers.filter((answer) => answer.kind === 'unreachable')
  const [first] = failures
  if (!first) {
    return { kind: 'unreachable', failure: 'unreachable', reason: 'no DNS server is configured', aliases: [] }
  }
  return { ...first, reason: failures.map(({ reason }) => reason).join('; ') }
}

function judgeResolver<T extends DnsRecordType>(
  { address, answer }: Compared<T>,
  heard: DnsAnswer<T> | undefined,
): DnsResolverStatement<T> {
  const isComparable = heard !== undefined && answer.kind !== 'unreachable'
  if (!isComparable || describeContent(answer) === describeContent(heard)) return { address, answer, isStale: false }
  const staleSeconds = findTtl(answer)
  return { address, answer, isStale: true, ...(staleSeconds !== undefined && { staleSeconds }) }
}

/** The remaining TTL of a cached answer. */
function findTtl(answer: DnsAnswer): number | undefined {
  switch (answer.kind) {
    case 'records':
      return answer.ttlSeconds
    case 'no_such_name':
    case 'no_such_type':
      return answer.negativeTtlSeconds
    case 'alias_loop':
    case 'unreachable':
      return undefined
  }
}
