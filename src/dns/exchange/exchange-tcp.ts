/** One query over TCP (RFC 7766), for answers that do not fit into a datagram. */
import { connect } from 'node:net'
import { type Query, readReceived, uint16 } from '../wire/query.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchanged, noUsableAnswer, OVERSIZE, QUERY_LIMIT, UNREACHABLE } from './exchange.ts'
import type { QueryBudget } from './query-budget.ts'
import { readFrames } from './read-frames.ts'

/** Stop after this many messages that do not match the query. */
const FOREIGN_MESSAGES_MAX = 8

/** Waits until `signal` aborts, which is the time limit. The connection is closed when this resolves. */
export function exchangeTcp(
  endpoint: Endpoint,
  query: Query,
  signal: AbortSignal,
  budget: QueryBudget,
): Promise<Exchanged> {
  if (signal.aborted) return Promise.resolve(noUsableAnswer(false))
  if (!budget.spend()) return Promise.resolve(QUERY_LIMIT)
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const socket = connect({ host: endpoint.address, port: endpoint.port })
  let exchanged: Exchanged | undefined
  let foreign = 0
  let isConnected = false

  const finish = (outcome: Exchanged): void => {
    exchanged ??= outcome
    signal.removeEventListener('abort', giveUp)
    socket.destroy()
  }
  const giveUp = (): void => finish(noUsableAnswer(foreign > 0))
  /** A server that closes an established connection without an answer has sent a malformed one. */
  const hangUp = (): void => finish(isConnected ? noUsableAnswer(true) : UNREACHABLE)

  signal.addEventListener('abort', giveUp, { once: true })
  socket.on('connect', () => {
    isConnected = true
    // RFC 1035 section 4.2.2: each message is preceded by its length in two bytes.
    socket.write(Buffer.concat([uint16(query.bytes.length), query.bytes]))
  })
  const onData = readFrames((bytes) => {
    const received = readReceived(bytes, query)
    if (received.kind === 'message') finish(received)
    else if (received.kind === 'oversize') finish(OVERSIZE)
    else if (received.kind === 'unreadable' || ++foreign >= FOREIGN_MESSAGES_MAX) finish(noUsableAnswer(true))
  })
  socket.on('data', onData)
  socket.on('error', hangUp)
  socket.on('close', () => {
    hangUp()
    resolve(exchanged ?? UNREACHABLE)
  })
  return promise
}
