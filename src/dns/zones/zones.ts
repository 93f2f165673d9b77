/** Finds the zone of a name and the name servers of the zone, through the configured resolvers. */
import { findParent, isWithin, readAskedName } from '../answers/asked-name.ts'
import { findRecordSet } from '../answers/record-values.ts'
import type { Referral } from '../answers/statement.ts'
import { type Endpoint, parseEndpoint } from '../exchange/endpoint.ts'
import type { ConfiguredResolvers } from '../resolvers/configured-resolvers.ts'
import { resolveRecursively } from '../resolvers/recursive-answer.ts'
import type { Message } from '../wire/message.ts'
import { isPublicAddress } from './public-address.ts'

export interface Zone {
  readonly apex: string
  readonly servers: readonly NameServer[]
}

export interface NameServer {
  readonly name: string
  /** Where it may be queried. */
  readonly endpoints: readonly Endpoint[]
  /** Why there is no endpoint, for people. */
  readonly problem?: string
}

/** `all`: to compare them. `any`: the first usable answer is enough. */
export type Breadth = 'all' | 'any'

/** Endpoints that replace the addresses of name servers. They come only from our own configuration. */
export type Detours = ReadonlyMap<string, Endpoint>

/** Maximum number of steps up from a name; usually one or two are enough. */
const STEPS_MAX = 8
/** To compare the servers of a zone: as many as the root has, and more than nearly every other zone. */
const COMPARED_MAX = 13
/** If the first usable answer is enough; and for a top-level domain, whose servers agree and are busy. */
const SERVERS_MAX = 3
const ADDRESSES_MAX = 4

/** For one check and one breadth: each zone is looked up once. */
export class Zones {
  readonly #resolvers: ConfiguredResolvers
  readonly #detours: Detours
  readonly #serversMax: number
  readonly #apexes = new Map<string, Promise<string | undefined>>()
  readonly #zones = new Map<string, Promise<Zone>>()

  constructor(resolvers: ConfiguredResolvers, detours: Detours, breadth: Breadth) {
    this.#resolvers = resolvers
    this.#detours = detours
    this.#serversMax = breadth === 'all' ? COMPARED_MAX : SERVERS_MAX
  }

  /** Undefined if it is unknown, and for the root, where nobody publishes records. */
  async find(name: string, signal: AbortSignal): Promise<Zone | undefined> {
    const apex = await once(this.#apexes, name, signal, () => findApex(this.#resolvers, name, signal))
    return apex ? once(this.#zones, apex, signal, () => this.#findZone(apex, signal)) : undefined
  }

  /** The delegated zone of a referral. */
  async follow({ zone, servers, glue }: Referral, signal: AbortSignal): Promise<Zone> {
    const asked = servers.slice(0, this.#serversMax).map((name) => this.#findServer(name, signal, glue.get(name)))
    return { apex: zone, servers: await Promise.all(asked) }
  }

  async #findZone(apex: string, signal: AbortSignal): Promise<Zone> {
    const answer = await resolveRecursively(this.#resolvers.ask, apex, 'NS', signal)
    const targets = answer.kind === 'records' ? answer.values : []
    const names = targets.slice(0, apex.includes('.') ? this.#serversMax : SERVERS_MAX)
    return { apex, servers: await Promise.all(names.map((name) => this.#findServer(name, signal))) }
  }

  /** A zone can list any address, so only public addresses are used, and only their DNS port. */
  async #findServer(name: string, signal: AbortSignal, glue: readonly string[] = []): Promise<NameServer> {
    const asked = readAskedName(name)
    if (glue.length === 0 && 'problem' in asked) return { name, endpoints: [], problem: `its name ${asked.problem}` }
    const addresses = glue.length > 0 ? glue : await this.#findAddresses(name, signal)
    const endpoints = addresses.flatMap((address) => {
      const detour = this.#detours.get(address)
      if (detour) return [detour]
      return isPublicAddress(address) ? [parseEndpoint(address)] : []
    })
    if (endpoints.length > 0) return { name, endpoints: endpoints.slice(0, ADDRESSES_MAX) }
    const [first] = addresses
    const problem = first === undefined ? 'no address was found for it' : `its address ${first} is not public`
    return { name, endpoints, problem }
  }

  async #findAddresses(server: string, signal: AbortSignal): Promise<readonly string[]> {
    const types = ['A', 'AAAA'] as const
    const answers = await Promise.all(
      types.map((type) => resolveRecursively(this.#resolvers.ask, server, type, signal)),
    )
    return answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))
  }
}

/** Results of an aborted lookup are not kept. */
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
 * If a name has no SOA, a resolver returns that of the enclosing zone (RFC 2308 section 3). If it does not, the parent
 * name is queried, until one has a SOA.
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

/** If the name is an alias, the SOA is that of its target and says nothing about the name. */
function findApexIn({ answers, authorities }: Message, name: string): string | undefined {
  if (findRecordSet(answers, name, 'CNAME')) return undefined
  return [...answers, ...authorities].find((resource) => resource.type === 'SOA' && isWithin(name, resource.name))?.name
}
