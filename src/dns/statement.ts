/** What a message from one of a zone's own servers says about a name. */
import type { DnsRecordType, DnsStatement } from '../domains/dns-resolver.ts'
import { isWithin } from './asked-name.ts'
import { describeFailure, findServerFailure, type ServerFailure } from './failure-words.ts'
import { type Message, RCODE, type Resource } from './message.ts'
import { findNegativeTtl, findRecordSet } from './record-values.ts'

/** The name lies in a zone below, which other servers hold. */
export interface Referral {
  readonly kind: 'referral'
  readonly zone: string
  readonly servers: readonly string[]
  /** Addresses that came along, by server; only of servers below the zone, of which no one else could know. */
  readonly glue: ReadonlyMap<string, readonly string[]>
}

export interface StatementContext<T extends DnsRecordType> {
  readonly name: string
  readonly type: T
  /** Of which the server is said to hold the name. */
  readonly zone: string
  /** The server, as a sentence about it begins. */
  readonly who: string
}

export function readStatement<T extends DnsRecordType>(
  message: Message,
  context: StatementContext<T>,
): DnsStatement<T> | Referral {
  const { name, type, who } = context
  const problem = findServerFailure(message)
  if (problem) return failed(who, problem)
  if (!message.isAuthoritative) return findReferral(message, context) ?? failed(who, { failure: 'lame' })
  const alias = type === 'CNAME' ? undefined : findRecordSet(message.answers, name, 'CNAME')
  const [cname] = alias?.records ?? []
  // What an alias leads to is asked for by itself, even if it came along: it may lie in a zone below this one.
  if (alias && cname) return { kind: 'alias', target: cname.target, ttlSeconds: alias.ttlSeconds }
  const found = findRecordSet(message.answers, name, type)
  if (found) return { kind: 'records', ...found, aliases: [] }
  const negativeTtlSeconds = findNegativeTtl(message.authorities)
  return {
    kind: message.rcode === RCODE.NXDOMAIN ? 'no_such_name' : 'no_such_type',
    aliases: [],
    ...(negativeTtlSeconds !== undefined && { negativeTtlSeconds }),
  }
}

function failed(who: string, { failure, detail }: ServerFailure) {
  return { kind: 'unreachable', failure, reason: describeFailure(who, failure, detail), aliases: [] } as const
}

/** Downwards only: a server that points up or aside does not know the zone at all. */
function findReferral(message: Message, { name, zone }: StatementContext<DnsRecordType>): Referral | undefined {
  if (message.rcode !== RCODE.NOERROR || message.answers.length > 0) return undefined
  const owner = message.authorities.find(({ type }) => type === 'NS')?.name
  if (owner === undefined || owner === zone || !isWithin(owner, zone) || !isWithin(name, owner)) return undefined
  const servers = (findRecordSet(message.authorities, owner, 'NS')?.records ?? []).map(({ target }) => target)
  const addressesOf = (server: string) => findGlue(message.additionals, server)
  const glue = new Map(
    servers.filter((server) => isWithin(server, owner)).map((server) => [server, addressesOf(server)]),
  )
  return { kind: 'referral', zone: owner, servers, glue }
}

function findGlue(additionals: readonly Resource[], server: string): readonly string[] {
  const [ipv4, ipv6] = [findRecordSet(additionals, server, 'A'), findRecordSet(additionals, server, 'AAAA')]
  return [...(ipv4?.values ?? []), ...(ipv6?.values ?? [])]
}
