/** A simulated network on loopback: a resolver that knows the delegation, and name servers of one zone at documentation addresses. */
import { createDns } from '../../../src/dns/dns.ts'
import type { DnsResolver } from '../../../src/domains/dns-resolver.ts'
import { type DnsServer, type DnsServerOptions, openDnsServer, type Zone } from './dns-server.ts'

export interface NetworkServer {
  readonly zone: Zone
  readonly options?: DnsServerOptions
}

export interface DnsNetwork {
  readonly resolver: DnsServer
  /** In the order of the zones: ns1, ns2, … */
  readonly servers: readonly DnsServer[]
  /** The answers of the resolver; may be changed. */
  readonly resolverZone: Zone
  session(): DnsResolver
  [Symbol.asyncDispose](): Promise<void>
}

export const SOA = { minimum: 300, ttl: 900 }

/** A key in the zone example.test, and the same zone before it was added. */
export const NAME = 's1._domainkey.example.test'
export const APEX = { soa: SOA, ns: ['ns1.example.test', 'ns2.example.test', 'ns3.example.test'] }
export const WITH_KEY: Zone = { 'example.test': APEX, [NAME]: { txt: [['v=DKIM1; ', 'p=abc']], ttl: 120 } }
export const WITHOUT_KEY: Zone = { 'example.test': APEX }

/**
 * `ns1.<apex>` and so on, each with its own version of the zone. The resolver also answers from `resolverZone`,
 * and `furtherDetours` lead to servers that a test opened itself.
 */
export async function openDnsNetwork(
  apex: string,
  zones: readonly NetworkServer[],
  resolverZone: Zone = {},
  furtherDetours: readonly (readonly [string, string])[] = [],
): Promise<DnsNetwork> {
  const names = zones.map((_, index) => `ns${index + 1}.${apex}`)
  const addresses = zones.map((_, index) => `203.0.113.${index + 1}`)
  const servers = await Promise.all(zones.map(({ zone, options }) => openDnsServer(zone, options)))
  const known: Zone = { [apex]: { soa: SOA, ns: names } }
  for (const [index, name] of names.entries()) known[name] = { a: [addresses[index] ?? ''] }
  const everything = Object.assign(known, resolverZone)
  const resolver = await openDnsServer(everything, { isAuthoritative: false })
  const own = servers.map((server, index) => [addresses[index] ?? '', server.address] as const)
  const detours = new Map([...own, ...furtherDetours])
  return {
    resolver,
    servers,
    resolverZone: everything,
    session: () => createDns({ servers: [resolver.address], detours }).session(),
    async [Symbol.asyncDispose]() {
      await Promise.all([resolver, ...servers].map((server) => server.close()))
    },
  }
}
