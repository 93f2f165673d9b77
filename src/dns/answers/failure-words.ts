/** Describes the failure of a server, for people. */
import type { DnsAnswer, DnsFailure } from '../../domains/dns-resolver.ts'
import { type Message, RCODE } from '../wire/message.ts'

/** Each continues a sentence that starts with the server. */
const PHRASES: Readonly<Record<DnsFailure, string>> = {
  bad_name: 'cannot be queried for this name',
  silent: 'did not answer in time',
  unreachable: 'could not be reached',
  servfail: 'failed to answer (SERVFAIL)',
  refused: 'refused the query (REFUSED)',
  error: 'answered with an error',
  malformed: 'sent only answers that cannot be parsed or do not match the query',
  truncated: 'has an answer that is too long for UDP and could not be fetched over TCP',
  oversize: 'has an answer that is larger than a check reads',
  lame: 'is not authoritative for the zone that lists it as a name server (lame delegation)',
  cancelled: 'had not answered when the check ran out of time',
  query_limit: 'was not queried: the check has reached its limit of DNS queries',
}

export type FailedAnswer = Extract<DnsAnswer, { readonly kind: 'unreachable' }>

export interface ServerFailure {
  readonly failure: DnsFailure
  /** More details for people, if known. */
  readonly detail?: string
}

/** `who`: the server, as the beginning of a sentence. */
export function toFailedAnswer(who: string, { failure, detail }: ServerFailure): FailedAnswer {
  const reason = `${who} ${PHRASES[failure]}${detail === undefined ? '' : `: ${detail}`}`
  return { kind: 'unreachable', failure, reason, aliases: [] }
}

/** No reply at all was received; a failure with a reply is more informative. */
export function isMute({ failure }: FailedAnswer): boolean {
  return failure === 'silent' || failure === 'unreachable' || failure === 'cancelled'
}

/** The failure of several servers: the reasons of all of them, and the code of `chosen`, one of them. */
export function joinFailures(failures: readonly FailedAnswer[], chosen = failures[0]): FailedAnswer {
  if (chosen) return { ...chosen, reason: failures.map(({ reason }) => reason).join('; ') }
  return { kind: 'unreachable', failure: 'unreachable', reason: 'no DNS server is configured', aliases: [] }
}

/** Undefined for a message that makes a statement about the name: there are records, or there are none. */
export function findServerFailure(message: Message): ServerFailure | undefined {
  switch (message.rcode) {
    case RCODE.NOERROR:
    case RCODE.NXDOMAIN:
      return undefined
    case RCODE.SERVFAIL:
      return message.extendedErrors.some(isAboutSignatures)
        ? { failure: 'servfail', detail: 'the DNSSEC signatures of the zone are invalid or missing' }
        : { failure: 'servfail' }
    case RCODE.REFUSED:
      return { failure: 'refused' }
    default:
      return { failure: 'error', detail: NAMES[message.rcode] ?? `code ${message.rcode}` }
  }
}

const NAMES: Readonly<Record<number, string>> = { 1: 'FORMERR', 4: 'NOTIMP', 9: 'NOTAUTH', 16: 'BADVERS' }

/** RFC 8914 section 4: DNSSEC Bogus, signatures expired or not yet valid, DNSKEY, RRSIG or NSEC missing. */
function isAboutSignatures(extendedError: number): boolean {
  return [6, 7, 8, 9, 10, 12].includes(extendedError)
}
