/** One query over UDP, with its own socket and random port; resent while there is no answer. */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { type Query, readReceived } from '../wire/query.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchanged, noUsableAnswer, QUERY_LIMIT, UNREACHABLE } from './exchange.ts'
import type { QueryBudget } from './query-budget.ts'

/** Time until the first resend; it doubles each time. */
const RESEND_AFTER_MS = 750
/** Stop after this many packets with the id of the query that cannot be used: only the server itself can send them. */
const UNUSABLE_MAX = 64

/**
 * Waits until `signal` aborts, which is the time limit. Packets that do not match the query are ignored: they may be
 * forged, and the real answer may still come. The socket is closed when this resolves.
 */
export async function exchangeUdp(
  endpoint: Endpoint,
  query: Query,
  signal: AbortSignal,
  budget: QueryBudget,
): Promise<Exchanged> {
  if (signal.aborted) return noUsableAnswer(false)
  if (!budget.spend()) return QUERY_LIMIT
  // The first outcome counts; what comes until the socket is closed changes nothing.
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const socket = createSocket(isIPv6(endpoint.address) ? 'udp6' : 'udp4')
  let sawUnusable = false
  let unusable = 0
  let timer: NodeJS.Timeout | undefined

  const giveUp = (): void => resolve(noUsableAnswer(sawUnusable))
  const send = (waitMs: number): void => {
    // The first packet is already paid for; without the budget for another, the first may still be answered.
    if (waitMs > RESEND_AFTER_MS && !budget.spend()) return
    socket.send(query.bytes, (error) => {
      if (error) resolve(UNREACHABLE)
    })
    timer = setTimeout(send, waitMs, waitMs * 2)
  }

  signal.addEventListener('abort', giveUp, { once: true })
  // A connected socket reports ICMP errors, such as a closed port, as errors.
  socket.on('error', () => resolve(UNREACHABLE))
  socket.on('message', (bytes) => {
    const received = readReceived(bytes, query)
    if (received.kind === 'message') return resolve(received)
    sawUnusable = true
    if (received.kind !== 'foreign' && ++unusable >= UNUSABLE_MAX) giveUp()
  })
  // Connected, so that the kernel drops packets from other senders.
  socket.on('connect', () => send(RESEND_AFTER_MS))
  socket.connect(endpoint.port, endpoint.address)
  const exchanged = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', giveUp)
  await new Promise<void>((closed) => socket.close(closed))
  return exchanged
}
