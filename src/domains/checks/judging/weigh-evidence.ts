/** One verdict from the answers of all servers: every name server must have a correct record, or some receivers see none. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsServerStatement, DnsStep } from '../../dns-resolver.ts'
import { isAbsent } from './absence.ts'
import { describeSeconds, listWords } from './plain-words.ts'
import { type Judge, type Verdict, withWarnings, wrongRecord } from './verdict.ts'

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
  const judgeStatement = ({ statement }: DnsServerStatement<T>): Verdict | Promise<Verdict> => {
    if (statement.kind !== 'alias') return judge(statement)
    if (statement.target === next) return judge(answer)
    return wrongRecord([`CNAME ${statement.target}`], 'wrong_value', '')
  }
  const asked = step.servers.filter(({ statement }) => statement.kind !== 'unreachable')
  const opinions = await Promise.all(
    asked.map(async (server) => ({ who: server.server, verdict: await judgeStatement(server) })),
  )
  const { right, others } = divide(opinions)
  if (others.length === 0) return verdict.status === 'valid' ? verdict : (right[0]?.verdict ?? verdict)
  if (right.length === 0) return verdict
  const text =
    `Only ${right.length} of ${opinions.length} name servers of ${step.zone ?? step.name} ${right.length === 1 ? 'has' : 'have'} the correct record: ` +
    `${listWords(right.map(({ who }) => who))} ${right.length === 1 ? 'has' : 'have'} it, ${describeOthers(others)}. ` +
    'If you have just changed it, wait a few minutes and check again. If the problem remains, ask your DNS provider why ' +
    'its servers are not in sync.'
  return wrongRecord(listValues(opinions), 'servers_disagree', text)
}

function divide(opinions: readonly Opinion[]): { right: readonly Opinion[]; others: readonly Opinion[] } {
  const right = opinions.filter(({ verdict }) => verdict.status === 'valid')
  return { right, others: opinions.filter(({ verdict }) => verdict.status !== 'valid') }
}

function describeOthers(others: readonly Opinion[]): string {
  const lacking = others.filter(({ verdict }) => isAbsent(verdict)).map(({ who }) => who)
  const differing = others.filter(({ verdict }) => !isAbsent(verdict)).map(({ who }) => who)
  const lacks = lacking.length === 0 ? [] : [`${listWords(lacking)} ${lacking.length === 1 ? 'does' : 'do'} not`]
  const differs =
    differing.length === 0 ? [] : [`${listWords(differing)} ${differing.length === 1 ? 'has' : 'have'} a different one`]
  return listWords([...lacks, ...differs])
}

function listValues(opinions: readonly Opinion[]): readonly string[] {
  return [...new Set(opinions.flatMap(({ verdict }) => verdict.actual))]
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
      answer,
      verdict: await judge(answer),
    })),
  )
  const { right, others } = divide(opinions)
  const [first] = right
  if (!first || others.length === 0) return verdict
  if (others.every((opinion) => isAbsent(opinion.verdict))) {
    const stale = opinions.filter((opinion) => isAbsent(opinion.verdict))
    return withWarnings(
      first.verdict,
      stale.map(
        ({ who, answer }) =>
          `The record is published, but ${who} will see it only when its cached answer expires${remaining(answer)}.`,
      ),
    )
  }
  const text =
    `Our resolvers disagree: ${listWords(right.map(({ who }) => who))} ` +
    `${right.length === 1 ? 'has' : 'have'} the correct record, ${describeOthers(others)}. ` +
    'If you have just changed it, check again when the cached answer expires' +
    `${remaining(opinions.find((opinion) => others.includes(opinion))?.answer)}.`
  return wrongRecord(listValues(opinions), 'servers_disagree', text)
}

function remaining(answer: DnsAnswer | undefined): string {
  const seconds = answer?.kind === 'records' ? answer.ttlSeconds : undefined
  const negative =
    answer?.kind === 'no_such_name' || answer?.kind === 'no_such_type' ? answer.negativeTtlSeconds : undefined
  const known = seconds ?? negative
  return known === undefined ? '' : `, within ${describeSeconds(known)}`
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
