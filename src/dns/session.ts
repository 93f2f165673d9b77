/** The DNS queries of one check: to the zones' own servers, and to the configured resolvers if those cannot be reached. */
import type { DnsRecordType, DnsResolver } from '../domains/dns-resolver.ts'
import { shorten } from '../lib/text/shorten.ts'
import { readAskedName } from './answers/asked-name.ts'
import type { FailedAnswer } from './answers/failure-words.ts'
import { isCutShort, toEvidence } from './evidence.ts'
import { type Endpoint, formatEndpoint } from './exchange/endpoint.ts'
import { QueryBudget } from './exchange/query-budget.ts'
import { SessionMemory } from './exchange/session-memory.ts'
import { limitTime } from './exchange/time-limit.ts'
import { createConfiguredResolvers } from './resolvers/configured-resolvers.ts'
import { resolveRecursively } from './resolvers/recursive-answer.ts'
import { askZone } from './zones/ask-zone.ts'
import { type Followed, followAliases } from './zones/follow-aliases.ts'
import { type Breadth, type Detours, Zones } from './zones/zones.ts'

/** Maximum number of configured resolvers to compare with the zone. */
const COMPARED_MAX = 3
/** Extra time for the resolvers once the zone has answered: then they serve only for comparison. */
const COMPARISON_GRACE_MS = 1500

/**
 * The packets of one check. Seven records in a zone with 13 name servers need about 150 of the first kind, a policy with
 * ten includes in as many zones about 100 of the second. They are separate, so that a policy that leads to thousands of
 * names does not keep the other records from being checked.
 */
export const QUERIES_MAX: Readonly<Record<Breadth, number>> = { all: 160, any: 140 }

export function createSession(endpoints: readonly Endpoint[], detours: Detours): DnsResolver {
  const memory = new SessionMemory()
  const examining = createLane('all', endpoints, detours, memory)
  const resolving = createLane('any', endpoints, detours, memory)

  return {
    async resolve(text, type, signal) {
      const asked = readAskedName(text)
      if ('problem' in asked) return badName(text, asked.problem)
      const { answer } = await resolving.askZones(asked.name, type, signal)
      if (answer) return answer
      // The resolvers may have an older answer, which says nothing about servers that were not queried.
      if (resolving.budget.isExceeded) return overLimit()
      return resolveRecursively(resolving.resolvers.ask, asked.name, type, signal)
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
        examining.resolvers.each.slice(0, COMPARED_MAX).map(async ({ endpoint, ask }) => ({
          address: formatEndpoint(endpoint),
          answer: await resolveRecursively(ask, name, type, limit.signal),
        })),
      )
      const followed: Followed<typeof type> = await examining.askZones(name, type, signal)
      const timer = followed.answer && setTimeout(limit.abort, COMPARISON_GRACE_MS)
      const compared = await comparing
      clearTimeout(timer)
      const evidence = toEvidence(name, type, followed, compared)
      const isOver = isCutShort(followed) || (!followed.answer && examining.budget.isExceeded)
      return isOver ? { ...evidence, answer: overLimit() } : evidence
    },
  }
}

/** Queries of one breadth, with a budget of their own. */
function createLane(breadth: Breadth, endpoints: readonly Endpoint[], detours: Detours, memory: SessionMemory) {
  const budget = new QueryBudget(QUERIES_MAX[breadth])
  const means = { memory, budget }
  const resolvers = createConfiguredResolvers(endpoints, means)
  const zones = new Zones(resolvers, detours, breadth)
  const askZones = <T extends DnsRecordType>(name: string, type: T, signal: AbortSignal) =>
    followAliases<T>(name, (current) => askZone(zones, means, { name: current, type, breadth }, signal))
  return { budget, resolvers, askZones }
}

function overLimit(): FailedAnswer {
  const total = QUERIES_MAX.all + QUERIES_MAX.any
  const reason = `checking the domain needs more DNS queries than are allowed (${total} for one check)`
  return { kind: 'unreachable', failure: 'query_limit', reason, aliases: [] }
}

const NAME_SHOWN_MAX = 80

/** Shows only the beginning of the name: it can be any text. */
function badName(text: string, problem: string): FailedAnswer {
  const shown = JSON.stringify(shorten(text, NAME_SHOWN_MAX))
  return { kind: 'unreachable', failure: 'bad_name', reason: `the name ${shown} ${problem}`, aliases: [] }
}
