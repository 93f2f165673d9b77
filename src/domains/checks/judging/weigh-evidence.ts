/** One verdict from the answers of all servers: every name server must have a correct record, or some receivers see none. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsStatement, DnsStep } from '../../dns-resolver.ts'
import { findTtl } from '../../dns-resolver.ts'
import { isAbsent } from './absence.ts'
import { describeSeconds, listWords } from './plain-words.ts'
import { type Verdict, withWarnings, wrongRecord } from './verdict.ts'

/** Judges one answer; several servers can give different answers. */
type Judge<Answer> = (answer: Answer) => Verdict | Promise<Verdict>

export async function weighEvidence<T extends DnsRecordType>(
  evidence: DnsEvidence<T>,
  judge: Judge<DnsAnswer<T>>,
): Promise<Verdict> {
  const verdict = await judge(evidence.answer)
  if (verdict.status === 'unknown') return verdict
  if (evidence.source === 'resolver') return weighResolvers(evidence, verdict, judge)
  const step = evidence.steps.find(({ agreeing, answered }) => agreeing < answered)
  const weighed = step ? await weighServers(evidence, step, verdict, judge) : verdict
  return withWarnings(weighed, [...listFailedServers(evidence), ...listStale(evidence, weighed)])
}

interface Opinion {
  readonly who: string
  readonly verdict: Verdict
}

async function weighServers<T extends DnsRecordType>(
  { steps, answer }: DnsEvidence<T>,
  step: DnsStep<T>,
  verdict: Verdict,
  judge: Judge<DnsAnswer<T>>,
): Promise<Verdict> {
  const next = steps[steps.indexOf(step) + 1]?.name
  const judgeStatement = (statement: DnsStatement<T>): Verdict | Promise<Verdict> => {
    if (statement.kind !== 'alias') return judge(statement)
    if (statement.target === next) return judge(answer)
    return wrongRecord([`CNAME ${statement.target}`], 'wrong_value', '')
  }
  const asked = step.servers.filter(({ statement }) => statement.kind !== 'unreachable')
  const opinions = await Promise.all(
    asked.map(async ({ server, statement }) => ({ who: server, verdict: await judgeStatement(statement) })),
  )
  const { right = [], others = [] } = Object.groupBy(opinions, sideOf)
  if (right.length === 0 || others.length === 0) return verdict
  const text =
    `Only ${right.length} of ${opinions.length} name servers of ${step.zone ?? step.name} ${have(right)} the correct record: ` +
    `${listWho(right)} ${have(right)} it, ${describeOthers(others)}. ` +
    'If you have just changed it, wait a few minutes and check again. If the problem remains, ask your DNS provider why ' +
    'its servers are not in sync.'
  return wrongRecord(listValues(opinions), 'servers_disagree', text)
}

/**
 * The zone's own servers could not be queried, and each resolver has its own cache. A record that one of them returns is
 * published; an absence that another one reports is an older answer.
 */
async function weighResolvers<T extends DnsRecordType>(
  { resolvers }: DnsEvidence<T>,
  verdict: Verdict,
  judge: Judge<DnsAnswer<T>>,
): Promise<Verdict> {
  const asked = resolvers.filter(({ answer }) => answer.kind !== 'unreachable')
  const opinions = await Promise.all(
    asked.map(async ({ address, answer }) => ({
      who: `our resolver ${address}`,
      verdict: await judge(answer),
      expiry: describeExpiry(answer),
    })),
  )
  const { right = [], others = [] } = Object.groupBy(opinions, sideOf)
  const [[first], [other]] = [right, others]
  if (!first || !other) return verdict
  if (others.every((opinion) => isAbsent(opinion.verdict))) {
    const warnings = others.map(
      ({ who, expiry }) =>
        `The record is published, but ${who} will see it only when its cached answer expires${expiry}.`,
    )
    return withWarnings(first.verdict, warnings)
  }
  const text =
    `Our resolvers disagree: ${listWho(right)} ${have(right)} the correct record, ${describeOthers(others)}. ` +
    `If you have just changed it, check again when the cached answer expires${other.expiry}.`
  return wrongRecord(listValues(opinions), 'servers_disagree', text)
}

function sideOf({ verdict }: Opinion): 'right' | 'others' {
  return verdict.status === 'valid' ? 'right' : 'others'
}

function describeOthers(others: readonly Opinion[]): string {
  const { lacking = [], differing = [] } = Object.groupBy(others, ({ verdict }) =>
    isAbsent(verdict) ? 'lacking' : 'differing',
  )
  return listWords([
    ...(lacking.length > 0 ? [`${listWho(lacking)} ${lacking.length === 1 ? 'does' : 'do'} not`] : []),
    ...(differing.length > 0 ? [`${listWho(differing)} ${have(differing)} a different one`] : []),
  ])
}

function listWho(opinions: readonly Opinion[]): string {
  return listWords(opinions.map(({ who }) => who))
}

function have({ length }: readonly Opinion[]): string {
  return length === 1 ? 'has' : 'have'
}

function listValues(opinions: readonly Opinion[]): readonly string[] {
  return [...new Set(opinions.flatMap(({ verdict }) => verdict.actual))]
}

function describeExpiry(answer: DnsAnswer): string {
  const seconds = findTtl(answer)
  return seconds === undefined ? '' : `, within ${describeSeconds(seconds)}`
}

/** Some servers answered; failures of the others affect the receivers that query them. */
function listFailedServers({ steps }: DnsEvidence): readonly string[] {
  return steps.flatMap(({ servers }) =>
    servers.flatMap(({ statement }) =>
      statement.kind === 'unreachable' && statement.failure !== 'cancelled'
        ? [`One of ${servers.length} name servers could not be queried: ${statement.reason}.`]
        : [],
    ),
  )
}

/** Resolvers that asked before the zone changed; the resolvers of receivers may have done the same. */
function listStale({ resolvers, answer }: DnsEvidence, { status }: Verdict): readonly string[] {
  return resolvers
    .filter(({ isStale }) => isStale)
    .map(({ address, answer: old, staleSeconds }) => {
      const said = old.kind === 'records' ? 'an older value' : 'the absence of the record'
      const until = staleSeconds === undefined ? '' : ` for up to ${describeSeconds(staleSeconds)}`
      const has = answer.kind === 'records' ? 'has the record' : 'has no such record'
      const fact = status === 'valid' ? 'Your DNS has the correct record' : `Your DNS ${has}`
      return `${fact}, but our resolver ${address} still caches ${said}${until}; the resolvers of receivers may do the same.`
    })
}
