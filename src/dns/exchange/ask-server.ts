/** One query to one server: over UDP, over TCP if truncated, without EDNS if the server does not support it. */
import type { DnsFailure } from '../../domains/dns-resolver.ts'
import { type Message, RCODE } from '../wire/message.ts'
import { createQuery, type Query, type Question } from '../wire/query.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchanged } from './exchange.ts'
import { exchangeTcp } from './exchange-tcp.ts'
import { exchangeUdp } from './exchange-udp.ts'
import { limitTime } from './time-limit.ts'

export type Reply =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'failure'; readonly failure: DnsFailure }

/** Within `timeoutMs` or until `signal` aborts. Never rejects, and leaves no socket open. */
export async function askServer(
  endpoint: Endpoint,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reply> {
  using limit = limitTime(signal, timeoutMs)
  let reply = await ask(endpoint, createQuery(question, true), limit.signal)
  if (reply.kind === 'message' && failsOnEdns(reply.message)) {
    reply = await ask(endpoint, createQuery(question, false), limit.signal)
  }
  return reply.kind === 'failure' && signal.aborted ? { kind: 'failure', failure: 'cancelled' } : reply
}

/** RFC 6891 section 7. */
function failsOnEdns({ rcode }: Message): boolean {
  return rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP || rcode === RCODE.BADVERS
}

async function ask(endpoint: Endpoint, query: Query, signal: AbortSignal): Promise<Reply> {
  const short = await exchangeUdp(endpoint, query, signal)
  if (!needsTcp(short)) return short
  const whole = await exchangeTcp(endpoint, query, signal)
  if (whole.kind === 'failure') return { kind: 'failure', failure: 'truncated' }
  // Truncated although TCP has room for everything: its records must not be taken for the whole answer.
  return whole.message.isTruncated ? { kind: 'failure', failure: 'malformed' } : whole
}

/** An answer without the letter case of the query may be forged; TCP rules that out. */
function needsTcp(exchanged: Exchanged): boolean {
  return exchanged.kind === 'message' && (exchanged.message.isTruncated || !exchanged.isSameCase)
}
