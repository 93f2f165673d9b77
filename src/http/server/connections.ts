/**
 * The open connections: how many there may be, altogether and of one client network, and which one gives way to a new one.
 *
 * A connection is idle, or receives a request, or waits for its response. If there is no room for a new connection, the longest
 * idle one is closed, or else the one that has been sending its request for the longest time. Only if all are being answered is
 * the new one refused.
 */
import type { Socket } from 'node:net'
import type { CloseReason } from './close-reason.ts'

export interface ConnectionLimits {
  readonly connections: number
  readonly connectionsPerNetwork: number
}

export interface Connection {
  readonly socket: Socket
  /** Undefined if the limit per network does not apply. */
  readonly network: string | undefined
  state: 'idle' | 'receiving' | 'answering'
  /** Since when it is in this state. */
  sinceMs: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #close: (socket: Socket, reason: CloseReason) => void
  readonly #all = new Map<Socket, Connection>()
  readonly #networks = new Map<string, Set<Connection>>()
  /** The longest idle one first, the longest receiving one first. */
  readonly #waiting = { idle: new Set<Connection>(), receiving: new Set<Connection>() }

  constructor(limits: ConnectionLimits, close: (socket: Socket, reason: CloseReason) => void) {
    this.#limits = limits
    this.#close = close
  }

  get size(): number {
    return this.#all.size
  }

  /** `network` is undefined for a proxy, through which many clients come. */
  add(socket: Socket, network: string | undefined, nowMs: number): void {
    const connection: Connection = { socket, network, state: 'idle', sinceMs: nowMs }
    const { connections, connectionsPerNetwork } = this.#limits
    const neighbours = network === undefined ? undefined : this.#networks.get(network)
    if (neighbours && neighbours.size >= connectionsPerNetwork) {
      if (!this.#makeRoom(longestWaiting(neighbours), 'network_limit', socket)) return
    }
    if (this.#all.size >= connections) {
      const { idle, receiving } = this.#waiting
      if (!this.#makeRoom(first(idle) ?? first(receiving), 'limit', socket)) return
    }
    this.#all.set(socket, connection)
    this.#waiting.idle.add(connection)
    if (network !== undefined) this.#networkOf(network).add(connection)
    socket.once('close', () => this.#remove(connection))
  }

  /** A request has begun or was received, or the response has been sent. */
  setState(socket: Socket, state: Connection['state'], nowMs: number): void {
    const connection = this.#all.get(socket)
    if (!connection) return
    if (connection.state !== 'answering') this.#waiting[connection.state].delete(connection)
    connection.state = state
    connection.sinceMs = nowMs
    if (state !== 'answering') this.#waiting[state].add(connection)
  }

  networkOf(socket: Socket): string | undefined {
    return this.#all.get(socket)?.network
  }

  /** Closes connections that have been idle for longer than allowed. */
  closeIdle(sinceBeforeMs: number): void {
    for (const connection of this.#waiting.idle) {
      if (connection.sinceMs > sinceBeforeMs) return
      this.#drop(connection, 'idle')
    }
  }

  /** False if the new connection was closed instead. */
  #makeRoom(candidate: Connection | undefined, reason: CloseReason, newcomer: Socket): boolean {
    if (candidate) this.#drop(candidate, reason)
    else this.#close(newcomer, reason)
    return candidate !== undefined
  }

  #drop(connection: Connection, reason: CloseReason): void {
    this.#remove(connection)
    this.#close(connection.socket, reason)
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return
    this.#waiting.idle.delete(connection)
    this.#waiting.receiving.delete(connection)
    if (connection.network === undefined) return
    const neighbours = this.#networkOf(connection.network)
    neighbours.delete(connection)
    if (neighbours.size === 0) this.#networks.delete(connection.network)
  }

  #networkOf(network: string): Set<Connection> {
    const known = this.#networks.get(network) ?? new Set<Connection>()
    this.#networks.set(network, known)
    return known
  }
}

function first(connections: ReadonlySet<Connection>): Connection | undefined {
  const [connection] = connections
  return connection
}

function longestWaiting(connections: Iterable<Connection>): Connection | undefined {
  let longest: Connection | undefined
  for (const connection of connections) {
    if (connection.state === 'answering') continue
    if (!longest || isBefore(connection, longest)) longest = connection
  }
  return longest
}

function isBefore(one: Connection, other: Connection): boolean {
  if (one.state !== other.state) return one.state === 'idle'
  return one.sinceMs < other.sinceMs
}
