/** Which zone holds a name, and the servers of that zone, as the configured resolvers know them. */
import { findParent, isWithin, readAskedName } from './asked-name.ts'
import type { ConfiguredResolvers } from './configured-resolvers.ts'
import { type Endpoint, parseEndpoint } from './endpoint.ts'
import type { Message } from './message.ts'
import { isPublicAddress } from './public-address.ts'
import { findRecordSet } from './record-values.ts'
import { resolveRecursively } from './recursive-answer.ts'
import type { Referral } from './statement.ts'

export interface Zone {
  readonly apex: string
  readonly servers: readonly NameServer[]
}

export interface NameServer {
  readonly name: string
  /** Where it may be asked. */
  readonly endpoints: readonly Endpoint[]
  /** Why there is no endpoint, in words for people. */
  readonly problem?: string
}

export interface Zones {
  /** Undefined where it could not be found out, and for the root, which nobody publishes records in. */
  find(name: string, signal: AbortSignal): Promise<Zone | undefined>
  /** The zone below that a server has pointed to. */
  follow(referral: Referral, signal: AbortSignal): Promise<Zone>
}

/** Where to ask in place of an address that a zone names. Its only source is the program's own configuration. */
export type Detours = ReadonlyMap<string, Endpoint>

/** Steps up from a name; a resolver tells the zone in the first or second. */
const STEPS_MAX = 8
/** The number that the root has, and more than nearly everybody else. */
const SERVERS_MAX = 13
/** All servers of a top-level domain say the same, and have enough to do. */
const SERVERS_OF_TOP_LEVEL_MAX = 3
const ADDRESSES_MAX = 4

/** For one check: a zone is looked up once in its life. */
export function createZones(resolvers: ConfiguredResolvers, detours: Detours): Zones {
  const apexes = new Map<string, Promise<string | undefined>>()
  const zones = new Map<string, Promise<Zone>>()
  return {
    async find(name, signal) {
      const apex = await once(apexes, name, signal, () => findApex(resolvers, name, signal))
      if (apex === undefined || apex === '') return undefined
      return once(zones, apex, signal, () => findServers(resolvers, detours, apex, signal))
    },
    async follow({ zone, servers, glue }, signal) {
      const asked = servers.slice(0, SERVERS_MAX).map(async (server) => {
        const addresses = glue.get(server) ?? []
        return addresses.length > 0
          ? toNameServer(server, addresses, detours)
          : findNameServer(resolvers, detours, server, signal)
      })
      return { apex: zone, servers: await Promise.all(asked) }
    },
  }
}

/** What was cut short by its caller's signal is not kept. */
function once<V>(kept: Map<string, Promise<V>>, key: string, signal: AbortSignal, find: () => Promise<V>): Promise<V> {
  const known = kept.get(key)
  if (known) return known
  const found = find().finally(() => {
    if (signal.aborted) kept.delete(key)
  })
  kept.set(key, found)
  return found
}

/**
 * A resolver that has no SOA at a name sends the one of the zone which holds the name (RFC 2308 section 3). Where it
 * leaves that out, the next name up is asked, until one has a SOA itself.
 */
async function findApex(
  resolvers: ConfiguredResolvers,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let candidate: string | undefined = name
  for (let step = 0; step < STEPS_MAX && candidate !== undefined; step++) {
    const reply = await resolvers.ask(candidate, 'SOA', signal)
    if (reply.kind === 'unreachable' && (signal.aborted || reply.failure !== 'servfail')) return undefined
    const apex = reply.kind === 'message' ? findApexIn(reply.message, candidate) : undefined
    if (apex !== undefined) return apex
    candidate = findParent(candidate)
  }
  return undefined
}

/** Where the name is an alias, the SOA is that of its target and says nothing about the name. */
function findApexIn({ answers, authorities }: Message, name: string): string | undefined {
  if (findRecordSet(answers, name, 'CNAME')) return undefined
  return [...answers, ...authorities].find((resource) => resource.type === 'SOA' && isWithin(name, resource.name))?.name
}

async function findServers(
  resolvers: ConfiguredResolvers,
  detours: Detours,
  apex: string,
  signal: AbortSignal,
): Promise<Zone> {
  const answer = await resolveRecursively(resolvers.ask, apex, 'NS', signal)
  const targets = answer.kind === 'records' ? answer.records.map(({ target }) => target) : []
  const names = targets.slice(0, apex.includes('.') ? SERVERS_MAX : SERVERS_OF_TOP_LEVEL_MAX)
  const servers = names.map((server) => findNameServer(resolvers, detours, server, signal))
  return { apex, servers: await Promise.all(servers) }
}

async function findNameServer(
  resolvers: ConfiguredResolvers,
  detours: Detours,
  server: string,
  signal: AbortSignal,
): Promise<NameServer> {
  const asked = readAskedName(server)
  if ('problem' in asked) return { name: server, endpoints: [], problem: `its name ${asked.problem}` }
  const answers = await Promise.all([
    resolveRecursively(resolvers.ask, server, 'A', signal),
    resolveRecursively(resolvers.ask, server, 'AAAA', signal),
  ])
  const addresses = answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))
  return toNameServer(server, addresses, detours)
}

/** A zone can name any address, so only those are used that lead into the public network, and only their DNS port. */
function toNameServer(name: string, addresses: readonly string[], detours: Detours): NameServer {
  const endpoints = addresses.flatMap((address) => {
    const detour = detours.get(address)
    if (detour) return [detour]
    return isPublicAddress(address) ? [parseEndpoint(address)] : []
  })
  if (endpoints.length > 0) return { name, endpoints: endpoints.slice(0, ADDRESSES_MAX) }
  const [first] = addresses
  const problem = first === undefined ? 'no address was found for it' : `its address ${first} is not a public one`
  return { name, endpoints, problem }
}
