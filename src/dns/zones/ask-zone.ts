/** Queries the servers of the zone that contains a name. */
import type { DnsRecordType, DnsServerStatement, DnsStatement, DnsStep } from '../../domains/dns-resolver.ts'
import { findFirstGood } from '../exchange/first-good.ts'
import type { Means, SessionMemory } from '../exchange/session-memory.ts'
import { askNameServer, type Heard, hasNoReply, saysSomething } from './ask-name-server.ts'
import { findConsensus } from './consensus.ts'
import type { Breadth, NameServer, Zone, Zones } from './zones.ts'

export interface ZoneAnswer<T extends DnsRecordType> {
  readonly step: DnsStep<T>
  /** The statement of the majority; absent if no server answered. */
  readonly statement?: Exclude<DnsStatement<T>, { readonly kind: 'unreachable' }>
}

/** Delay before the next server is tried as well, for `any`. */
const STAGGER_MS = 400
/** Maximum number of delegations to follow that the resolvers did not know of. */
const REFERRALS_MAX = 4

/** Never rejects. */
export async function askZone<T extends DnsRecordType>(
  zones: Zones,
  means: Means,
  question: { readonly name: string; readonly type: T; readonly breadth: Breadth },
  signal: AbortSignal,
): Promise<ZoneAnswer<T>> {
  const { name } = question
  let zone = await zones.find(name, signal)
  for (let referrals = 0; zone && referrals <= REFERRALS_MAX; referrals++) {
    const heard: readonly Heard<T>[] = await askServers(zone, means, question, signal)
    noteReach(means.memory, zone, heard, signal)
    const { statement, agreeing, answered } = findConsensus(heard)
    if (statement?.kind !== 'referral') {
      const step = { name, zone: zone.apex, servers: heard.map(toServerStatement), agreeing, answered }
      return statement ? { step, statement } : { step }
    }
    zone = await zones.follow(statement, signal)
  }
  return { step: { name, servers: [], agreeing: 0, answered: 0 } }
}

async function askServers<T extends DnsRecordType>(
  zone: Zone,
  means: Means,
  { name, type, breadth }: { readonly name: string; readonly type: T; readonly breadth: Breadth },
  signal: AbortSignal,
): Promise<readonly Heard<T>[]> {
  const ask = (server: NameServer, own: AbortSignal) =>
    askNameServer(server, { zone: zone.apex, name, type }, means, own)
  if (breadth === 'all') return Promise.all(zone.servers.map((server) => ask(server, signal)))
  const { memory } = means
  const ordered = memory.slowLast(zone.servers, ({ endpoints }) => endpoints)
  const { good, others, overtaken } = await findFirstGood(ordered, ask, saysSomething, STAGGER_MS, signal)
  for (const { endpoints } of overtaken) for (const endpoint of endpoints) memory.noteSlow(endpoint)
  return good ? [good] : others
}

/** A zone whose servers have no address that may be queried says nothing about our network. */
function noteReach(
  memory: SessionMemory,
  zone: Zone,
  heard: readonly Heard<DnsRecordType>[],
  signal: AbortSignal,
): void {
  if (signal.aborted || zone.servers.every(({ endpoints }) => endpoints.length === 0)) return
  memory.noteZone({ isReached: !heard.every(hasNoReply) })
}

function toServerStatement<T extends DnsRecordType>({ statement, ...from }: Heard<T>): DnsServerStatement<T> {
  if (statement.kind !== 'referral') return { ...from, statement }
  const reason = `the name server ${from.server} delegates ${statement.zone} to other servers, but not all name servers do`
  return { ...from, statement: { kind: 'unreachable', failure: 'lame', reason, aliases: [] } }
}
