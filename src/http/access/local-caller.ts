/**
 * Distinguishes requests of commands on this machine from those of network clients.
 *
 * A request is local if its connection was accepted on the control socket, which only the owner of the data folder can open, or
 * if it carries the random token of an app inside the command's process. An app that listens has no such token, so no header
 * makes a network client local.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export const LOCAL_TOKEN_HEADER = 'x-envelog-local-token'

const controlConnections = new WeakSet<Socket>()

/** For connections accepted on the control socket. */
export function markLocal(connection: Socket): void {
  controlConnections.add(connection)
}

export function isLocalRequest({ socket, headers }: IncomingMessage, token: string | undefined): boolean {
  if (controlConnections.has(socket)) return true
  const presented = headers[LOCAL_TOKEN_HEADER]
  return token !== undefined && typeof presented === 'string' && isSameText(token, presented)
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
