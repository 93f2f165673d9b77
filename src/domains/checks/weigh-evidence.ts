/** One verdict from what all servers say: all name servers of the zone must have a right record, or many receivers see none. */
import type { DnsAnswer, DnsEvidence, DnsRecordType, DnsServerStatement, DnsStep } from '../dns-resolver.ts'
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
  return withWarnings(weighed, [...listUnasked(evidence), ...listStale(evidence, weighed)])
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
    `Only ${right.length} of ${opinions.length} name servers of ${step.zone ?? step.name} have the right record: ` +
    `${listWords(right.map(({ who }) => who))} ${right.length === 1 ? 'has' : 'have'} it, ${describeOthers(others)}. ` +
    'If you changed it a moment ago, wait a few minutes and check again; if it stays so, ask your DNS provider why ' +
    'not all of its servers are up to date.'
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
    differing.length === 0 ? [] : [`${listWords(differing)} ${differing.length === 1 ? 'has' : 'have'} another one`]
  return listWords([...lacks, ...differs])
}

function listValues(opinions: readonly Opinion[]): readonly string[] {
  return [...new Set(opinions.flatMap(({ verdict }) => verdict.actual))]
}

/**
 * The zone's own servers could not be asked, and each resolver has a memory of its own. A record that one of them has is
 * published; that another one does not know of it is an older answer.
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
        ({ who, answer }) => `The record is published, but ${who} does not know of it yet${remaining(answer)}.`,
      ),
    )
  }
  const text =
    `The resolvers that we ask do not agree: ${listWords(right.map(({ who }) => who))} ` +
    `${right.length === 1 ? 'has' : 'have'} the right record, ${describeOthers(others)}. ` +
    'If you changed it a moment ago, check again when the older answer is forgotten' +
    `${remaining(opinions.find((opinion) => others.includes(opinion))?.answer)}.`
  return wrongRecord(listValues(opinions), 'servers_disagree', text)
}

function remaining(answer: DnsAnswer | undefined): string {
  const seconds = answer?.kind === 'records' ? answer.ttlSeconds : undefined
  const negative =
    answer?.kind === 'no_such_name' || answer?.kind === 'no_such_type' ? answer.negativeTtlSeconds : undefined
  const known = seconds ?? negative
  return known === undefined ? '' : `, for up to ${describeSeconds(known)}`
}

/** Some servers answered; what is wrong with the others matters to those receivers that ask them. */
function listUnasked({ steps }: DnsEvidence): readonly string[] {
  return steps.flatMap(({ servers }) =>
    servers.flatMap(({ statement }) =>
      statement.kind === 'unreachable' && statement.failure !== 'cancelled'
        ? [`One of ${servers.length} name servers could not be asked: ${statement.reason}.`]
        : [],
    ),
  )
}

/** The zone has changed since they asked, and so it may be with resolvers of receivers. */
function listStale({ resolvers, answer }: DnsEvidence, { status }: Verdict): readonly string[] {
  return resolvers
    .filter(({ isStale }) => isStale)
    .map(({ address, answer: old, staleSeconds }) => {
      const said = old.kind === 'records' ? 'an older value' : 'that there is nothing'
      const until = staleSeconds === undefined ? '' : ` and may do so for another ${describeSeconds(staleSeconds)}`
      const has = answer.kind === 'records' ? 'has the record' : 'has no such record'
      const fact = status === 'valid' ? 'Your DNS has the right record' : `Your DNS ${has}`
      return `${fact}, but our resolver ${address} remembers ${said}${until}; those of receivers may do the same.`
    })
}
