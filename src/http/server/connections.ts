/**
 * The open connections: how many there may be, altogether and of one client network, and which one gives way to a new one.
 *
 * A connection is idle, or receives a request, or waits for its response. If there is no room for a new connection, the longest
 * idle one is closed, or else the one that has been sending its request for the longest time, or else the oldest one that does
 * not read its response. Only if all are being answered and read is the new one refused.
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
  /** Those of proxies have no network, and no limit of their own. */
  readonly #networks = new Map<string | undefined, Set<Connection>>()
  /** By state; in each, the one that has been in it for the longest time first. */
  readonly #byState: Readonly<Record<Connection['state'], Set<Connection>>> = {
    idle: new Set(),
    receiving: new Set(),
    answering: new Set(),
  }

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
      if (!this.#makeRoom(findDispensable(neighbours), 'network_limit', socket)) return
    }
    if (this.#all.size >= connections) {
      const { idle, receiving, answering } = this.#byState
      if (!this.#makeRoom(first(idle) ?? first(receiving) ?? findUnread(answering), 'limit', socket)) return
    }
    this.#all.set(socket, connection)
    this.#byState.idle.add(connection)
    this.#networkOf(network).add(connection)
    socket.once('close', () => this.#remove(connection))
  }

  /** A request has begun or was received, or the response has been sent. */
  setState(socket: Socket, state: Connection['state'], nowMs: number): void {
    const connection = this.#all.get(socket)
    if (!connection) return
    this.#byState[connection.state].delete(connection)
    connection.state = state
    connection.sinceMs = nowMs
    this.#byState[state].add(connection)
  }

  networkOf(socket: Socket): string | undefined {
    return this.#all.get(socket)?.network
  }

  /** Closes connections that have been idle for longer than allowed. */
  closeIdle(sinceBeforeMs: number): void {
    for (const connection of this.#byState.idle) {
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
    this.#byState[connection.state].delete(connection)
    const neighbours = this.#networkOf(connection.network)
    neighbours.delete(connection)
    if (neighbours.size === 0) this.#networks.delete(connection.network)
  }

  #networkOf(network: string | undefined): Set<Connection> {
    const known = this.#networks.get(network) ?? new Set<Connection>()
    this.#networks.set(network, known)
    return known
  }
}

function first(connections: ReadonlySet<Connection>): Connection | undefined {
  const [connection] = connections
  return connection
}

/** The first whose client has not taken what was written. */
function findUnread(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) if (connection.socket.writableLength > 0) return connection
  return undefined
}

/** Of one client network: the one that gives way first. */
function findDispensable(connections: Iterable<Connection>): Connection | undefined {
  let found: Connection | undefined
  for (const connection of connections) {
    if (connection.state === 'answering' && connection.socket.writableLength === 0) continue
    if (!found || isBefore(connection, found)) found = connection
  }
  return found
}

const ORDER: Readonly<Record<Connection['state'], number>> = { idle: 0, receiving: 1, answering: 2 }

function isBefore(one: Connection, other: Connection): boolean {
  if (one.state !== other.state) return ORDER[one.state] < ORDER[other.state]
  return one.sinceMs < other.sinceMs
}
