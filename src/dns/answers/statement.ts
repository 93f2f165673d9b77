/** Reads the statement about a name in a message from one of the zone's own servers. */
import type { DnsRecordType, DnsStatement } from '../../domains/dns-resolver.ts'
import { type Message, RCODE, type Resource } from '../wire/message.ts'
import { isWithin } from './asked-name.ts'
import { findServerFailure, toFailedAnswer } from './failure-words.ts'
import { findAlias, findNegativeTtl, findRecordSet } from './record-values.ts'

/** The name is in a zone below, which is delegated to other servers. */
export interface Referral {
  readonly kind: 'referral'
  readonly zone: string
  readonly servers: readonly string[]
  /** Addresses in the message, by server; only for servers within the delegated zone. */
  readonly glue: ReadonlyMap<string, readonly string[]>
}

export interface StatementContext<T extends DnsRecordType> {
  readonly name: string
  readonly type: T
  /** The zone that the server should be authoritative for. */
  readonly zone: string
  /** The server, as the beginning of a sentence. */
  readonly who: string
}

export function readStatement<T extends DnsRecordType>(
  message: Message,
  context: StatementContext<T>,
): DnsStatement<T> | Referral {
  const { name, type, who } = context
  const problem = findServerFailure(message)
  if (problem) return toFailedAnswer(who, problem)
  if (!message.isAuthoritative) return findReferral(message, context) ?? toFailedAnswer(who, { failure: 'lame' })
  const alias = findAlias(message.answers, name, type)
  // The target of an alias is queried separately, even if it is in the message: it may be in a delegated zone.
  if (alias) return { kind: 'alias', ...alias }
  const found = findRecordSet(message.answers, name, type)
  if (found) return { kind: 'records', ...found, aliases: [] }
  const negativeTtlSeconds = findNegativeTtl(message.authorities)
  return {
    kind: message.rcode === RCODE.NXDOMAIN ? 'no_such_name' : 'no_such_type',
    aliases: [],
    ...(negativeTtlSeconds !== undefined && { negativeTtlSeconds }),
  }
}

/** Maximum number of servers whose addresses are searched for in the message. */
const SERVERS_MAX = 13

/** Only downward referrals count: a server that refers upward or sideways does not have the zone. */
function findReferral(message: Message, { name, zone }: StatementContext<DnsRecordType>): Referral | undefined {
  if (message.rcode !== RCODE.NOERROR || message.answers.length > 0) return undefined
  const owner = message.authorities.find(({ type }) => type === 'NS')?.name
  if (owner === undefined || owner === zone || !isWithin(owner, zone) || !isWithin(name, owner)) return undefined
  const all = (findRecordSet(message.authorities, owner, 'NS')?.records ?? []).map(({ target }) => target)
  const servers = all.slice(0, SERVERS_MAX)
  const inside = servers.filter((server) => isWithin(server, owner))
  const glue = new Map(inside.map((server) => [server, findGlue(message.additionals, server)]))
  return { kind: 'referral', zone: owner, servers, glue }
}

function findGlue(additionals: readonly Resource[], server: string): readonly string[] {
  return (['A', 'AAAA'] as const).flatMap((type) => findRecordSet(additionals, server, type)?.values ?? [])
}
