/**
 * DNS for checks: asks the servers of the zone itself, whose answers are fresh, and the configured resolvers where those
 * cannot be reached. Remembers nothing beyond one check.
 */
import { Resolver } from 'node:dns'
import type { Dns } from '../domains/dns-resolver.ts'
import { parseEndpoint } from './endpoint.ts'
import { createSession } from './session.ts'

export interface DnsOptions {
  /** The resolvers, `ip[:port]` each; empty means the system's. */
  readonly servers: readonly string[]
  /**
   * Where to ask, `ip[:port]`, in place of an address that a zone gives its server; also lets in addresses that are not
   * public. For networks of one's own, such as those of the tests.
   */
  readonly detours?: ReadonlyMap<string, string>
}

export function createDns({ servers, detours = new Map() }: DnsOptions): Dns {
  const routes = new Map([...detours].map(([address, endpoint]) => [address, parseEndpoint(endpoint)]))
  return {
    // The system's are read anew each time: a machine may move to another network.
    session: () => createSession((servers.length > 0 ? servers : systemServers()).map(parseEndpoint), routes),
  }
}

function systemServers(): readonly string[] {
  return new Resolver().getServers()
}
