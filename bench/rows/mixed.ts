/** `mixed` and `memory`: the latency of pages during ingest, and the memory of the server afterwards. */
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { keepPace, postRequest } from '../load/http-load.ts'
import { judge, type Row } from '../report/row.ts'
import { type FreshEvents, POST_EVENTS } from '../traffic/fresh-events.ts'
import { judgeTurns } from './judge-turns.ts'
import { type PageTarget, pageRequests } from './pages.ts'

const ROUNDS = 3
const PAGES_PER_SECOND = 100
const CONNECTIONS = 32

export interface MixedOptions {
  readonly target: PageTarget
  readonly residentBytes: () => number
  readonly domains: readonly string[]
  readonly random: SeededRandom
  /** Maximum ingest rate, in events per second. */
  readonly ingestMax: number
  readonly seconds: number
  readonly ingestKey: string
  readonly fresh: FreshEvents
}

export async function measureMixed(options: MixedOptions): Promise<readonly Row[]> {
  const { target, domains, random, ingestMax, seconds, ingestKey, fresh } = options
  const { address } = target
  const pages = pageRequests(target, domains)
  const postsPerSecond = ingestMax / 2 / POST_EVENTS

  const readPages = async () => {
    const pace = { perSecond: PAGES_PER_SECOND, seconds, connections: CONNECTIONS }
    return (await keepPace(address, pace, () => random.pick(pages))).latenciesMs.percentile(99)
  }
  const readWhileIngesting = async () => {
    const bodies = fresh.takePosts(Math.ceil(postsPerSecond * seconds))
    const posts = bodies.map((body) => postRequest('/ingest/events', ingestKey, body)).values()
    const pace = { perSecond: postsPerSecond, seconds, connections: CONNECTIONS }
    const [p99] = await Promise.all([readPages(), keepPace(address, pace, () => posts.next().value)])
    return p99
  }
  await readPages()
  const mixed = await judgeTurns('mixed', { rounds: ROUNDS }, readWhileIngesting, readPages)
  const residentMb = options.residentBytes() / 1e6
  return [mixed, judge('memory', residentMb, null)]
}
