/** One query to one server: over UDP, over TCP if truncated, without EDNS if the server does not support it. */
import type { DnsFailure } from '../../domains/dns-resolver.ts'
import { type Message, RCODE } from '../wire/message.ts'
import { createQuery, type Query, type Question } from '../wire/query.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchanged, OVERSIZE, QUERY_LIMIT } from './exchange.ts'
import { exchangeTcp } from './exchange-tcp.ts'
import { exchangeUdp } from './exchange-udp.ts'
import { QueryBudget } from './query-budget.ts'
import { limitTime } from './time-limit.ts'

export type Reply =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'failure'; readonly failure: DnsFailure }

/** Of one query alone, with its resends, its TCP connection and a second attempt without EDNS. */
const QUERIES_MAX = 16

/** Within `timeoutMs` or until `signal` aborts. Never rejects, and leaves no socket open. */
export async function askServer(
  endpoint: Endpoint,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
  budget = new QueryBudget(QUERIES_MAX),
): Promise<Reply> {
  using limit = limitTime(signal, timeoutMs)
  let reply = await ask(endpoint, createQuery(question, true), limit.signal, budget)
  if (reply.kind === 'message' && failsOnEdns(reply.message)) {
    reply = await ask(endpoint, createQuery(question, false), limit.signal, budget)
  }
  const isCancelled = reply.kind === 'failure' && signal.aborted && reply.failure !== 'query_limit'
  return isCancelled ? { kind: 'failure', failure: 'cancelled' } : reply
}

/** RFC 6891 section 7. */
function failsOnEdns({ rcode }: Message): boolean {
  return rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP || rcode === RCODE.BADVERS
}

async function ask(endpoint: Endpoint, query: Query, signal: AbortSignal, budget: QueryBudget): Promise<Reply> {
  const short = await exchangeUdp(endpoint, query, signal, budget)
  if (!needsTcp(short)) return short
  const whole = await exchangeTcp(endpoint, query, signal, budget)
  if (whole === QUERY_LIMIT || whole === OVERSIZE) return whole
  if (whole.kind === 'failure') return { kind: 'failure', failure: 'truncated' }
  // Truncated although TCP has room for everything: its records must not be taken for the whole answer.
  return whole.message.isTruncated ? { kind: 'failure', failure: 'malformed' } : whole
}

/** An answer without the letter case of the query may be forged; TCP rules that out. */
function needsTcp(exchanged: Exchanged): boolean {
  return exchanged.kind === 'message' && (exchanged.message.isTruncated || !exchanged.isSameCase)
}
