/** Reads the answer of a configured resolver, with the aliases that it followed. */
import type { DnsAnswer, DnsRecordType } from '../../domains/dns-resolver.ts'
import { AliasChain } from '../answers/alias-chain.ts'
import { readAskedName } from '../answers/asked-name.ts'
import { findAlias, findNegativeTtl, findRecordSet } from '../answers/record-values.ts'
import { type Message, RCODE } from '../wire/message.ts'
import type { AskResolver } from './configured-resolvers.ts'

/** Never rejects. */
export async function resolveRecursively<T extends DnsRecordType>(
  ask: AskResolver,
  name: string,
  type: T,
  signal: AbortSignal,
): Promise<DnsAnswer<T>> {
  const chain = new AliasChain(name)
  for (;;) {
    const reply = await ask(chain.name, type, signal)
    if (reply.kind === 'unreachable') return { ...reply, aliases: chain.aliases }
    const answer = readAnswer(reply.message, chain, type)
    if (answer) return answer
  }
}

/** Follows the aliases in the message. Undefined if the last target is not in it and must be queried. */
function readAnswer<T extends DnsRecordType>(message: Message, chain: AliasChain, type: T): DnsAnswer<T> | undefined {
  const asked = chain.name
  const next = () => findAlias(message.answers, chain.name, type)
  for (let alias = next(); alias; alias = next()) {
    const reason = chain.follow(alias.target, alias.ttlSeconds)
    if (reason !== undefined) return { kind: 'alias_loop', reason, aliases: chain.aliases }
  }
  const { aliases } = chain
  const found = findRecordSet(message.answers, chain.name, type)
  if (found) return { kind: 'records', ...found, ttlSeconds: chain.limitTtl(found.ttlSeconds), aliases }
  const negativeTtlSeconds = findNegativeTtl(message.authorities)
  const absence = { aliases, ...(negativeTtlSeconds !== undefined && { negativeTtlSeconds }) }
  if (message.rcode === RCODE.NXDOMAIN) return { kind: 'no_such_name', ...absence }
  if (negativeTtlSeconds === undefined && chain.name !== asked) {
    return 'name' in readAskedName(chain.name) ? undefined : { kind: 'no_such_name', aliases }
  }
  if (isReferral(message)) {
    const reason = 'the DNS server answers only for its own zones and does not resolve other names'
    return { kind: 'unreachable', failure: 'refused', reason, aliases }
  }
  return { kind: 'no_such_type', ...absence }
}

/** RFC 2308 section 2.2: NS records of another zone without a SOA are a referral, not a negative answer. */
function isReferral({ isAuthoritative, authorities }: Message): boolean {
  const types = authorities.map(({ type }) => type)
  return !isAuthoritative && types.includes('NS') && !types.includes('SOA')
}
