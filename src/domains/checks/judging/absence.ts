/** The verdict if there are no records: nothing is published, or the query failed. */
import type { DnsAnswer, DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { isPublicSuffix } from '../../domain-name.ts'
import { describeField, describeSeconds } from './plain-words.ts'
import { faultyRecord, limitedRecord, type Problem, unknownRecord, type Verdict } from './verdict.ts'

type AbsentAnswer = Exclude<DnsAnswer, { readonly kind: 'records' }>

const REMOVE_RECORDS = 'Remove records at this name that are no longer needed.'

/** Maximum number of reasons to list. */
const REASONS_MAX = 6

export function judgeAbsence(record: RequiredDnsRecord, answer: AbsentAnswer, evidence: DnsEvidence): Verdict {
  switch (answer.kind) {
    case 'unreachable':
      if (answer.failure === 'query_limit') return limitedRecord(record, answer.reason)
      // Queried again, it is as large.
      if (answer.failure === 'oversize')
        return limitedRecord(record, listReasons(answer.reason, evidence), REMOVE_RECORDS)
      return unknownRecord(record, listReasons(answer.reason, evidence))
    case 'alias_loop': {
      const text = `The CNAME at ${record.name} does not lead to a record: ${answer.reason}. Delete it and create a ${record.type} record with the required value instead.`
      return faultyRecord([], { diagnosis: 'alias_loop', text })
    }
    case 'no_such_name':
    case 'no_such_type':
      return faultyRecord([], explainAbsence(record, answer, evidence))
  }
}

/** No such record is published; neither a foreign record nor a failed query. */
export function isAbsent({ problem }: Verdict): boolean {
  return problem?.diagnosis === 'no_such_name' || problem?.diagnosis === 'no_such_type'
}

/** A record that is not the required one is published instead. */
export function isForeign({ problem }: Verdict): boolean {
  return problem?.diagnosis === 'wrong_value' || problem?.diagnosis === 'dangling_alias'
}

function explainAbsence(
  record: RequiredDnsRecord,
  answer: Extract<AbsentAnswer, { readonly kind: 'no_such_name' | 'no_such_type' }>,
  evidence: DnsEvidence,
): Problem {
  const { name, type } = record
  const zone = evidence.steps[0]?.zone
  const alias = answer.aliases.at(-1)
  if (alias) {
    const fault = answer.kind === 'no_such_name' ? 'does not exist' : `has no ${type} record`
    const text =
      `${name} is a CNAME that points to ${alias.target}, which ${fault}. Correct the target of the CNAME, ` +
      `or delete the CNAME and create a ${type} record with the required value at ${name}.`
    return { diagnosis: 'dangling_alias', text }
  }
  // A zone under which others register domains, so `name` itself does not exist.
  if (answer.kind === 'no_such_name' && zone !== undefined && zone !== name && isPublicSuffix(zone)) {
    const labels = name.split('.')
    const domain = labels.slice(-zone.split('.').length - 1).join('.')
    const text =
      `The domain ${domain} does not exist: the name servers of ${zone} do not know it. Check its spelling, ` +
      'that its registration has not expired, and that it has name servers.'
    return { diagnosis: 'no_such_domain', text }
  }
  const fact =
    answer.kind === 'no_such_name'
      ? `${name} does not exist in DNS. Create a ${type} record there with the required value.`
      : `${name} exists but has no ${type} record. Add one with the required value.`
  const text = `${fact}${describeField(name, zone)}${describeMemory(answer.negativeTtlSeconds, evidence)}`
  return { diagnosis: answer.kind, text }
}

/** RFC 2308: resolvers that asked before the record was published cache its absence. */
function describeMemory(seconds: number | undefined, { source, resolvers }: DnsEvidence): string {
  if (seconds === undefined || seconds === 0) return ''
  if (source === 'authoritative') {
    return ` Resolvers that have already queried it may report it as missing for up to ${describeSeconds(seconds)}.`
  }
  const who = resolvers.length === 1 ? `our resolver ${resolvers[0]?.address}` : 'our resolvers'
  return (
    ` This answer comes from ${who}, because the name servers of the zone could not be reached. If you have already ` +
    `published the record, the answer is an old one and expires in ${describeSeconds(seconds)}.`
  )
}

/** The failures of the servers of the last zone that was queried, then of the resolvers. */
function listReasons(reason: string, { steps, resolvers }: DnsEvidence): string {
  const servers = steps.at(-1)?.servers ?? []
  const statements = [...servers.map(({ statement }) => statement), ...resolvers.map(({ answer }) => answer)]
  const reasons = statements.flatMap((statement) => (statement.kind === 'unreachable' ? [statement.reason] : []))
  const distinct = [...new Set(reasons.length > 0 ? reasons : [reason])]
  const more = distinct.length - REASONS_MAX
  return distinct.slice(0, REASONS_MAX).join('; ') + (more > 0 ? `; and ${more} more` : '')
}
