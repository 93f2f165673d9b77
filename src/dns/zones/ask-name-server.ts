/** Queries one of a zone's own servers at the first of its addresses that answers. */
import type { DnsRecordType, DnsStatement } from '../../domains/dns-resolver.ts'
import { isMute, type ServerFailure, toFailedAnswer } from '../answers/failure-words.ts'
import { type Referral, readStatement } from '../answers/statement.ts'
import { askServer } from '../exchange/ask-server.ts'
import { type Endpoint, formatEndpoint } from '../exchange/endpoint.ts'
import { findFirstGood } from '../exchange/first-good.ts'
import type { Means } from '../exchange/session-memory.ts'
import type { NameServer } from './zones.ts'

export interface Heard<T extends DnsRecordType> {
  readonly server: string
  readonly address?: string
  readonly statement: DnsStatement<T> | Referral
}

const TIMEOUT_MS = 3000
/** Delay before the next address is tried as well: many machines have no IPv6. */
const STAGGER_MS = 400

/** Never rejects. An address that did not answer is not queried again in the same check. */
export async function askNameServer<T extends DnsRecordType>(
  { name: server, endpoints: known, problem }: NameServer,
  asked: { readonly zone: string; readonly name: string; readonly type: T },
  { memory, budget }: Means,
  signal: AbortSignal,
): Promise<Heard<T>> {
  const who = `the name server ${server}`
  const fail = (failure: ServerFailure): Heard<T> => ({ server, statement: toFailedAnswer(who, failure) })
  if (problem !== undefined) return fail({ failure: 'unreachable', detail: problem })
  const endpoints = memory.isCutOff ? [] : known.filter((endpoint) => !memory.wasSilent(endpoint))
  const attempt = async (endpoint: Endpoint, own: AbortSignal): Promise<Heard<T>> => {
    const reply = await askServer(endpoint, { ...asked, isRecursive: false }, TIMEOUT_MS, own, budget)
    const address = formatEndpoint(endpoint)
    const at = `${who} (${address})`
    if (reply.kind === 'message') {
      return { server, address, statement: readStatement(reply.message, { ...asked, who: at }) }
    }
    if (reply.failure === 'silent') memory.noteSilent(endpoint)
    return { server, address, statement: toFailedAnswer(at, reply) }
  }
  const ordered = memory.slowLast(endpoints, (endpoint) => [endpoint])
  const { good, others, overtaken } = await findFirstGood(ordered, attempt, saysSomething, STAGGER_MS, signal)
  for (const endpoint of overtaken) memory.noteSlow(endpoint)
  const telling = others.find((heard) => !hasNoReply(heard)) ?? others[0]
  return good ?? telling ?? fail({ failure: signal.aborted ? 'cancelled' : 'silent' })
}

export function saysSomething({ statement }: Heard<DnsRecordType>): boolean {
  return statement.kind !== 'unreachable'
}

export function hasNoReply({ statement }: Heard<DnsRecordType>): boolean {
  return statement.kind === 'unreachable' && isMute(statement)
}
