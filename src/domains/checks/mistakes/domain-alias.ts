/** A domain that is itself a CNAME: its records are those of the target, and it cannot have any of its own. */
import type { DnsAnswer } from '../../dns-resolver.ts'
import { organizationalDomain } from '../../domain-name.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import type { Problem, Verdict } from '../judging/verdict.ts'
import { findWildcard } from './wildcard.ts'

/** For records at the domain's own name. Undefined if the record is correct, or if the domain is not a CNAME. */
export async function findDomainAlias(
  inquiry: Inquiry,
  answer: DnsAnswer,
  verdict: Verdict,
): Promise<Problem | undefined> {
  const problem = describeAlias(inquiry, answer, verdict)
  // A record of its own takes precedence over a wildcard.
  return problem && ((await findWildcard(inquiry)) ?? problem)
}

function describeAlias(
  { record: { name, type, value }, request: { domainName } }: Inquiry,
  { kind, aliases }: DnsAnswer,
  { status, problem }: Verdict,
): Problem | undefined {
  const target = aliases.at(-1)?.target
  const isOther = name !== domainName || kind === 'alias_loop' || problem?.diagnosis === 'servers_disagree'
  if (target === undefined || isOther || !problem || status !== 'invalid') return undefined
  const fact = `${name} is a CNAME that points to ${target}, so its ${type} records are those of ${target}`
  // The owner can change the records there.
  if (organizationalDomain(target) === organizationalDomain(name)) {
    return problem.diagnosis === 'dangling_alias'
      ? undefined
      : { ...problem, text: `${problem.text} ${fact}: change them there.` }
  }
  // RFC 1034 section 3.6.2.
  const text =
    `${fact}, and it cannot have any of its own. Replace the CNAME with address records (A and AAAA), then create ` +
    `${type === 'MX' ? 'an' : 'a'} ${type} record with the required value at ${name}; or send from another domain.`
  return { diagnosis: 'domain_is_alias', text, required: [value] }
}
