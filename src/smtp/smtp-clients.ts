/** The clients that are connected: their networks, and what they cost. */
import type { Socket } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { clientNetworkOf } from '../lib/net/client-network.ts'
import { TokenBuckets } from '../lib/turns/token-buckets.ts'
import { WorkBudgets } from '../lib/turns/work-budgets.ts'
import { ConnectionShares } from './connection-shares.ts'
import { SMTP_COSTS, SMTP_LIMITS } from './smtp-limits.ts'

export interface SmtpClient {
  readonly id: string
  readonly address: string
  readonly network: string
  /** Of the connection itself, below TLS. */
  readonly socket: Pick<Socket, 'bytesRead' | 'destroyed'>
  /** Bytes of messages, so far. */
  contentBytes: number
  chargedBytes: number
  refusedRecipients: number
  readonly onLeave: () => void
}

const ALL = '*'
/** Of a message that is being received, this much may have been read from the connection and not be counted yet. */
const IN_FLIGHT_BYTES = 262_144

export class SmtpClients {
  readonly #clock: Clock
  readonly #shares = new ConnectionShares(SMTP_LIMITS.connections)
  readonly #messages = new TokenBuckets(SMTP_LIMITS.messages)
  readonly #recipients = new TokenBuckets(SMTP_LIMITS.recipients)
  readonly #work = new WorkBudgets(SMTP_LIMITS.work)
  readonly #workOfAll = new WorkBudgets(SMTP_LIMITS.workOfAll)
  readonly #clients = new Map<string, SmtpClient>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The text of the refusal, or undefined if the connection is accepted. */
  admit(id: string, address: string, socket: SmtpClient['socket'], onLeave: () => void): string | undefined {
    const network = clientNetworkOf(address)
    if (this.isSpent(network)) return TOO_MUCH_WORK
    if (!this.#shares.take(address)) return 'Too many connections from your network'
    const counts = { contentBytes: 0, chargedBytes: 0, refusedRecipients: 0 }
    this.#clients.set(id, { id, address, network, socket, onLeave, ...counts })
    this.charge(network, SMTP_COSTS.connection)
    return undefined
  }

  find(id: string): SmtpClient | undefined {
    return this.#clients.get(id)
  }

  /** May be called twice. */
  leave(id: string): void {
    const client = this.#clients.get(id)
    if (!client) return
    this.chargeReceived(client)
    this.#clients.delete(id)
    this.#shares.giveBack(client.address)
    client.onLeave()
  }

  takeMessage(network: string): boolean {
    return this.#messages.take(network, this.#clock())
  }

  takeRecipient(network: string): boolean {
    return this.#recipients.take(network, this.#clock())
  }

  charge(network: string, ms: number): void {
    const nowMs = this.#clock()
    this.#work.charge(network, ms, nowMs)
    this.#workOfAll.charge(ALL, ms, nowMs)
  }

  isSpent(network: string): boolean {
    const nowMs = this.#clock()
    if (this.#work.isSpent(network, nowMs)) return true
    const hasUsedMore = this.#work.spentMs(network, nowMs) > SMTP_LIMITS.littleWorkMs
    return hasUsedMore && this.#workOfAll.isSpent(ALL, nowMs)
  }

  /** Charges what was received besides messages. */
  chargeReceived(client: SmtpClient, inFlightBytes = 0): void {
    const otherBytes = client.socket.bytesRead - client.contentBytes - client.chargedBytes - inFlightBytes
    if (otherBytes <= 0) return
    client.chargedBytes += otherBytes
    this.charge(client.network, otherBytes * SMTP_COSTS.otherByte)
  }

  /** Charges all clients for what they sent since the last time; returns the ids of those that may not continue. */
  chargeAll(isReceiving: (id: string) => boolean): readonly string[] {
    for (const client of this.#clients.values()) {
      if (client.socket.destroyed) this.leave(client.id)
      else this.chargeReceived(client, isReceiving(client.id) ? IN_FLIGHT_BYTES : 0)
    }
    return [...this.#clients.values()].filter(({ network }) => this.isSpent(network)).map(({ id }) => id)
  }
}

export const TOO_MUCH_WORK = 'Too much work for messages from your network, try again later'
