/**
 * DNS for checks: queries the name servers of the zone, whose answers are fresh, and the configured resolvers if those
 * cannot be reached. Caches nothing across checks.
 */
import { Resolver } from 'node:dns'
import type { Dns } from '../domains/dns-resolver.ts'
import { parseEndpoint } from './exchange/endpoint.ts'
import { createSession } from './session.ts'

export interface DnsOptions {
  /** The resolvers, `ip[:port]` each; empty: those of the system. */
  readonly servers: readonly string[]
  /**
   * Endpoints, `ip[:port]`, that replace the addresses of name servers; they need not be public. For private networks and
   * tests.
   */
  readonly detours?: ReadonlyMap<string, string>
}

export function createDns({ servers, detours = new Map() }: DnsOptions): Dns {
  const routes = new Map([...detours].map(([address, endpoint]) => [address, parseEndpoint(endpoint)]))
  return {
    // The system's resolvers are read each time: a machine may move to another network.
    session: () => createSession((servers.length > 0 ? servers : systemServers()).map(parseEndpoint), routes),
  }
}

function systemServers(): readonly string[] {
  return new Resolver().getServers()
}
