/** The verdict where there are no records to look at: nothing is published, or nobody could be asked. */
import type { DnsAnswer, DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { isPublicSuffix } from '../domain-name.ts'
import { describeField, describeSeconds } from './plain-words.ts'
import { type Problem, unknownRecord, type Verdict, wrongRecord } from './verdict.ts'

type AbsentAnswer = Exclude<DnsAnswer, { readonly kind: 'records' }>

/** More reasons than these make no one wiser. */
const REASONS_MAX = 6

export function judgeAbsence(record: RequiredDnsRecord, answer: AbsentAnswer, evidence: DnsEvidence): Verdict {
  switch (answer.kind) {
    case 'unreachable':
      return unknownRecord(record, listReasons(answer.reason, evidence))
    case 'alias_loop':
      return wrongRecord(
        [],
        'alias_loop',
        `The CNAME at ${record.name} leads nowhere: ${answer.reason}. Delete that CNAME and create a ${record.type} record with the required value in its place.`,
      )
    case 'no_such_name':
    case 'no_such_type':
      return { status: 'invalid', actual: [], problem: explainAbsence(record, answer, evidence), warnings: [] }
  }
}

/** Nothing of the kind is published: neither somebody else's record nor a failure to ask. */
export function isAbsent({ problem }: Verdict): boolean {
  return problem?.diagnosis === 'no_such_name' || problem?.diagnosis === 'no_such_type'
}

function explainAbsence(
  record: RequiredDnsRecord,
  answer: Extract<AbsentAnswer, { readonly kind: 'no_such_name' | 'no_such_type' }>,
  evidence: DnsEvidence,
): Problem {
  const { name, type } = record
  const zone = zoneOf(evidence)
  const alias = answer.aliases.at(-1)
  if (alias) {
    const fault = answer.kind === 'no_such_name' ? 'does not exist' : `has no ${type} record`
    const text =
      `${name} is a CNAME that leads to ${alias.target}, which ${fault}. Correct the target of the CNAME, ` +
      `or delete the CNAME and create a ${type} record with the required value at ${name}.`
    return { diagnosis: 'dangling_alias', text }
  }
  if (answer.kind === 'no_such_name' && zone !== undefined && isRegistry(zone, name)) {
    const domain = name
      .split('.')
      .slice(-zone.split('.').length - 1)
      .join('.')
    const text =
      `The domain ${domain} does not exist: the name servers of ${zone} do not know it. Check its spelling, ` +
      'that its registration has not ended, and that name servers are set for it.'
    return { diagnosis: 'no_such_domain', text }
  }
  const fact =
    answer.kind === 'no_such_name'
      ? `There is nothing at ${name}: the name does not exist in DNS. Create a ${type} record there with the required value.`
      : `${name} exists and has no ${type} record. Add one there with the required value.`
  const text = `${fact}${describeField(name, zone)}${describeMemory(answer.negativeTtlSeconds, evidence)}`
  return { diagnosis: answer.kind, text }
}

/** The zone of the name itself, wherever its aliases lead. */
export function zoneOf({ steps }: DnsEvidence): string | undefined {
  return steps[0]?.zone
}

/** Under which others register their names: who sends mail from `name` publishes nothing there. */
function isRegistry(zone: string, name: string): boolean {
  return zone !== name && isPublicSuffix(zone)
}

/** RFC 2308: whoever has asked before the record was published keeps the answer that there is none. */
function describeMemory(seconds: number | undefined, { source, resolvers }: DnsEvidence): string {
  if (seconds === undefined || seconds === 0) return ''
  if (source === 'authoritative') {
    return ` Resolvers that have asked before may go on saying for up to ${describeSeconds(seconds)} that it is not there.`
  }
  const who = resolvers.length === 1 ? `our resolver ${resolvers[0]?.address}` : 'our resolvers'
  return (
    ` This is what ${who} says, because the name servers of the zone could not be asked; if you have published ` +
    `the record already, that answer is an old one and will be forgotten in ${describeSeconds(seconds)}.`
  )
}

/** Who was asked and what came of it: the servers of the zone where asking stopped, then the resolvers. */
function listReasons(reason: string, { steps, resolvers }: DnsEvidence): string {
  const servers = steps.at(-1)?.servers ?? []
  const statements = [...servers.map(({ statement }) => statement), ...resolvers.map(({ answer }) => answer)]
  const reasons = statements.flatMap((statement) => (statement.kind === 'unreachable' ? [statement.reason] : []))
  const distinct = [...new Set(reasons.length > 0 ? reasons : [reason])]
  const more = distinct.length - REASONS_MAX
  return distinct.slice(0, REASONS_MAX).join('; ') + (more > 0 ? `; and ${more} more` : '')
}
