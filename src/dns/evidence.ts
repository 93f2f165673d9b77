/** Combines the answers about a name: the one to use, and how the configured resolvers differ from it. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsResolverStatement } from '../domains/dns-resolver.ts'
import { findTtl } from '../domains/dns-resolver.ts'
import { type FailedAnswer, joinFailures } from './answers/failure-words.ts'
import { describeContent } from './zones/consensus.ts'
import type { Followed } from './zones/follow-aliases.ts'

/** The answer of one configured resolver. */
type Compared<T extends DnsRecordType> = Pick<DnsResolverStatement<T>, 'address' | 'answer'>

export function toEvidence<T extends DnsRecordType>(
  name: string,
  type: T,
  { steps, answer: heard }: Followed<T>,
  compared: readonly Compared<T>[],
): DnsEvidence<T> {
  const isUnanimous = steps.every(({ agreeing, answered }) => agreeing === answered)
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

/** A name server was not queried for lack of budget: what the others say is not the whole answer. */
export function isCutShort({ steps }: Followed<DnsRecordType>): boolean {
  return steps.some(({ servers }) =>
    servers.some(({ statement }) => statement.kind === 'unreachable' && statement.failure === 'query_limit'),
  )
}

/** The first answer that is not a failure; otherwise all reasons. */
function joinAnswers<T extends DnsRecordType>(compared: readonly Compared<T>[]): DnsAnswer<T> {
  const answers = compared.map(({ answer }) => answer)
  const said = answers.find(({ kind }) => kind !== 'unreachable')
  return said ?? joinFailures(answers as readonly FailedAnswer[])
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
