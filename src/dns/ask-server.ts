/** One question to one server: over UDP, over TCP where the answer is cut off, without EDNS where the server trips over it. */
import type { DnsFailure } from '../domains/dns-resolver.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchanged } from './exchange.ts'
import { exchangeTcp } from './exchange-tcp.ts'
import { exchangeUdp } from './exchange-udp.ts'
import { type Message, RCODE } from './message.ts'
import { createQuery, type Query, type Question } from './query.ts'
import { limitTime } from './time-limit.ts'

export type Reply =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'failure'; readonly failure: DnsFailure }

/** Within `timeoutMs` or until `signal` aborts. Never rejects, and leaves no socket behind. */
export async function askServer(
  endpoint: Endpoint,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reply> {
  using limit = limitTime(signal, timeoutMs)
  let reply = await ask(endpoint, createQuery(question, true), limit.signal)
  if (reply.kind === 'message' && tripsOverEdns(reply.message)) {
    reply = await ask(endpoint, createQuery(question, false), limit.signal)
  }
  return reply.kind === 'failure' && signal.aborted ? { kind: 'failure', failure: 'cancelled' } : reply
}

/** RFC 6891 section 7. */
function tripsOverEdns({ rcode }: Message): boolean {
  return rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP || rcode === RCODE.BADVERS
}

async function ask(endpoint: Endpoint, query: Query, signal: AbortSignal): Promise<Reply> {
  const short = await exchangeUdp(endpoint, query, signal)
  if (!needsTcp(short)) return short
  const whole = await exchangeTcp(endpoint, query, signal)
  if (whole.kind === 'failure') return { kind: 'failure', failure: 'truncated' }
  // Cut off even where there is room for everything: what it holds must not be taken for all there is.
  return whole.message.isTruncated ? { kind: 'failure', failure: 'malformed' } : whole
}

/** A server that does not keep the letter case of the question may be a forger; over TCP it can be nobody else. */
function needsTcp(exchanged: Exchanged): boolean {
  return exchanged.kind === 'message' && (exchanged.message.isTruncated || !exchanged.isSameCase)
}
