/** `mixed` and `memory`: pages while mail comes in, and what the server has grown to at the end of it. */
import type { SeededRandom } from '../../src/demo/seeded-random.ts'
import { type FreshEvents, POST_EVENTS } from '../fresh-events.ts'
import { getRequest, postRequest } from '../http-connection.ts'
import { keepPace } from '../http-load.ts'
import { percentile, takeTurns } from '../measure.ts'
import { judge, type Row } from '../row.ts'
import type { PageTarget } from './http.ts'

const ROUNDS = 3
const PAGES_PER_SECOND = 100
const CONNECTIONS = 32

export interface MixedOptions {
  readonly target: PageTarget
  readonly domains: readonly string[]
  readonly random: SeededRandom
  /** Events a second that ingest can take at most. */
  readonly ingestMax: number
  readonly seconds: number
  readonly ingestKey: string
  readonly fresh: FreshEvents
}

export async function measureMixed(options: MixedOptions): Promise<readonly Row[]> {
  const { target, domains, random, ingestMax, seconds, ingestKey, fresh } = options
  const { address } = target.server
  const pages = domains.map((name) => getRequest(target.path(name), target.key))
  const postsPerSecond = ingestMax / 2 / POST_EVENTS

  const readPages = async () => {
    const pace = { perSecond: PAGES_PER_SECOND, seconds, connections: CONNECTIONS }
    return percentile((await keepPace(address, pace, () => random.pick(pages))).latenciesMs, 99)
  }
  const readWhileIngesting = async () => {
    const bodies = fresh.takePosts(Math.ceil(postsPerSecond * seconds))
    const posts = bodies.map((body) => postRequest('/ingest/events', ingestKey, body)).values()
    const pace = { perSecond: postsPerSecond, seconds, connections: CONNECTIONS }
    const [p99] = await Promise.all([readPages(), keepPace(address, pace, () => posts.next().value)])
    return p99
  }
  await readPages()
  const figures = await takeTurns({ rounds: ROUNDS }, readWhileIngesting, readPages)
  const residentMb = target.server.residentBytes() / 1e6
  return [judge('mixed', figures.ours, figures.peer), judge('memory', residentMb, null)]
}
