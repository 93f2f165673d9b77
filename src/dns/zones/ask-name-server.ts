/** Queries one of a zone's own servers at the first of its addresses that answers. */
import type { DnsFailure, DnsRecordType, DnsStatement } from '../../domains/dns-resolver.ts'
import { describeFailure } from '../answers/failure-words.ts'
import { type Referral, readStatement } from '../answers/statement.ts'
import { askServer } from '../exchange/ask-server.ts'
import { type Endpoint, formatEndpoint } from '../exchange/endpoint.ts'
import { findFirstGood } from '../exchange/first-good.ts'
import type { SessionMemory } from '../exchange/session-memory.ts'
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
  server: NameServer,
  asked: { readonly zone: string; readonly name: string; readonly type: T },
  memory: SessionMemory,
  signal: AbortSignal,
): Promise<Heard<T>> {
  const who = `the name server ${server.name}`
  if (server.problem !== undefined) return failed(server.name, who, 'unreachable', server.problem)
  const endpoints = memory.isCutOff ? [] : server.endpoints.filter((endpoint) => !memory.wasSilent(endpoint))
  const attempt = async (endpoint: Endpoint, own: AbortSignal): Promise<Heard<T>> => {
    const reply = await askServer(endpoint, { ...asked, isRecursive: false }, TIMEOUT_MS, own)
    const address = formatEndpoint(endpoint)
    const at = `${who} (${address})`
    if (reply.kind === 'message') {
      return { server: server.name, address, statement: readStatement(reply.message, { ...asked, who: at }) }
    }
    if (reply.failure === 'silent') memory.noteSilent(endpoint)
    return { ...failed(server.name, at, reply.failure), address }
  }
  const ordered = memory.slowLast(endpoints, (endpoint) => [endpoint])
  const { good, others, overtaken } = await findFirstGood(ordered, attempt, saysSomething, STAGGER_MS, signal)
  for (const endpoint of overtaken) memory.noteSlow(endpoint)
  const telling = others.find((heard) => !isMute(heard)) ?? others[0]
  return good ?? telling ?? failed(server.name, who, signal.aborted ? 'cancelled' : 'silent')
}

export function saysSomething({ statement }: Heard<DnsRecordType>): boolean {
  return statement.kind !== 'unreachable'
}

/** No reply at all was received. */
export function isMute({ statement }: Heard<DnsRecordType>): boolean {
  if (statement.kind !== 'unreachable') return false
  return statement.failure === 'silent' || statement.failure === 'unreachable' || statement.failure === 'cancelled'
}

function failed(server: string, who: string, failure: DnsFailure, detail?: string) {
  const reason = describeFailure(who, failure, detail)
  return { server, statement: { kind: 'unreachable', failure, reason, aliases: [] } } as const
}
