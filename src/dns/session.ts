/** The DNS queries of one check: to the zones' own servers, and to the configured resolvers if those cannot be reached. */
import type { DnsRecordType, DnsResolver } from '../domains/dns-resolver.ts'
import { readAskedName } from './answers/asked-name.ts'
import type { FailedAnswer } from './answers/failure-words.ts'
import { toEvidence } from './evidence.ts'
import { type Endpoint, formatEndpoint } from './exchange/endpoint.ts'
import { SessionMemory } from './exchange/session-memory.ts'
import { limitTime } from './exchange/time-limit.ts'
import { createConfiguredResolvers } from './resolvers/configured-resolvers.ts'
import { resolveRecursively } from './resolvers/recursive-answer.ts'
import { askZone, type Breadth } from './zones/ask-zone.ts'
import { type Followed, followAliases } from './zones/follow-aliases.ts'
import { type Detours, Zones } from './zones/zones.ts'

/** Maximum number of configured resolvers to compare with the zone. */
const COMPARED_MAX = 3
/** Extra time for the resolvers once the zone has answered: then they serve only for comparison. */
const COMPARISON_GRACE_MS = 1500

export function createSession(endpoints: readonly Endpoint[], detours: Detours): DnsResolver {
  const memory = new SessionMemory()
  const resolvers = createConfiguredResolvers(endpoints, memory)
  const zones = new Zones(resolvers, detours)

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
      const comparing = Promise.all(
        resolvers.each.slice(0, COMPARED_MAX).map(async ({ endpoint, ask }) => ({
          address: formatEndpoint(endpoint),
          answer: await resolveRecursively(ask, name, type, limit.signal),
        })),
      )
      const followed: Followed<typeof type> = await askZones(name, type, 'all', signal)
      const timer = followed.answer && setTimeout(limit.abort, COMPARISON_GRACE_MS)
      const compared = await comparing
      clearTimeout(timer)
      return toEvidence(name, type, followed, compared)
    },
  }
}

/** Shows only the beginning of the name: it can be any text. */
function badName(text: string, problem: string): FailedAnswer {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  return { kind: 'unreachable', failure: 'bad_name', reason: `the name ${shown} ${problem}`, aliases: [] }
}
