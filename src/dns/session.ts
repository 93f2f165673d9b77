/** One check's questions to DNS: to the zones themselves, and to the configured resolvers where those cannot be asked. */
import type { DnsAnswer, DnsRecordType, DnsResolver } from '../domains/dns-resolver.ts'
import { askZone, type Breadth } from './ask-zone.ts'
import { readAskedName } from './asked-name.ts'
import { type ConfiguredResolver, createConfiguredResolvers } from './configured-resolvers.ts'
import type { Endpoint } from './endpoint.ts'
import { type Compared, toEvidence } from './evidence.ts'
import { type Followed, followAliases } from './follow-aliases.ts'
import { resolveRecursively } from './recursive-answer.ts'
import { SessionMemory } from './session-memory.ts'
import { limitTime } from './time-limit.ts'
import { createZones, type Detours } from './zones.ts'

/** More configured resolvers than these are not compared with the zone. */
const COMPARED_MAX = 3
/** How much longer than the zone's own servers the resolvers may take, whose answers are then for comparison alone. */
const COMPARISON_GRACE_MS = 1500

export function createSession(endpoints: readonly Endpoint[], detours: Detours): DnsResolver {
  const memory = new SessionMemory()
  const resolvers = createConfiguredResolvers(endpoints, memory)
  const zones = createZones(resolvers, detours)

  const askZones = <T extends DnsRecordType>(name: string, type: T, breadth: Breadth, signal: AbortSignal) =>
    followAliases<T>(name, (current) => askZone(zones, memory, { name: current, type, breadth }, signal))

  return {
    async resolve(text, type, signal) {
      const asked = readAskedName(text)
      if ('problem' in asked) return badName(text, asked.problem)
      const { answer } = await askZones(asked.name, type, 'any', signal)
      return answer ?? resolveRecursively(resolvers.ask, asked.name, type, signal)
    },
    async examine(text, type, signal) {
      const asked = readAskedName(text)
      if ('problem' in asked) {
        const answer = badName(text, asked.problem)
        return { name: text, type, answer, source: 'resolver', steps: [], isUnanimous: true, resolvers: [] }
      }
      const { name } = asked
      using limit = limitTime(signal)
      const comparing = compare(resolvers.each.slice(0, COMPARED_MAX), name, type, limit.signal)
      const followed: Followed<typeof type> = await askZones(name, type, 'all', signal)
      const timer = followed.answer && setTimeout(limit.abort, COMPARISON_GRACE_MS)
      const compared = await comparing
      clearTimeout(timer)
      return toEvidence(name, type, followed, compared)
    },
  }
}

function compare<T extends DnsRecordType>(
  resolvers: readonly ConfiguredResolver[],
  name: string,
  type: T,
  signal: AbortSignal,
): Promise<readonly Compared<T>[]> {
  return Promise.all(
    resolvers.map(async ({ address, ask }) => ({ address, answer: await resolveRecursively(ask, name, type, signal) })),
  )
}

/** What was asked for is shown, but not all of it: it may be anything. */
function badName(text: string, problem: string): Extract<DnsAnswer, { readonly kind: 'unreachable' }> {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  return { kind: 'unreachable', failure: 'bad_name', reason: `the name ${shown} ${problem}`, aliases: [] }
}
