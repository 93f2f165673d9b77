/** `mixed` and `memory`: the latency of pages during ingest, and the memory of the server afterwards. */
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { keepPace, saturate } from '../load/http-load.ts'
import { startPosting } from '../load/posting.ts'
import { judge, type Row } from '../report/row.ts'
import { type FreshEvents, POST_EVENTS } from '../traffic/fresh-events.ts'
import { judgeTurns } from './judge-turns.ts'
import { type PageTarget, pageRequests } from './pages.ts'

const PAGES_PER_SECOND = 100
const CONNECTIONS = 32

export interface MixedOptions {
  readonly target: PageTarget
  readonly residentBytes: () => number
  readonly domains: readonly string[]
  readonly random: SeededRandom
  /** Maximum ingest rate, in events per second. */
  readonly ingestMax: number
  /** Of each round. */
  readonly seconds: number
  readonly rounds: number
  readonly ingestKey: string
  readonly fresh: FreshEvents
}

export async function measureMixed(options: MixedOptions): Promise<readonly Row[]> {
  const { target, domains, random, ingestMax, seconds, rounds, ingestKey, fresh } = options
  const { address } = target
  const pages = pageRequests(target, domains)
  const postsPerSecond = ingestMax / 2 / POST_EVENTS

  const readPages = async () => {
    const pace = { perSecond: PAGES_PER_SECOND, seconds, connections: CONNECTIONS }
    return (await keepPace(address, pace, () => random.pick(pages))).latenciesMs.percentile(99)
  }
  const readWhileIngesting = async () => {
    const bodies = fresh.takePosts(Math.ceil(postsPerSecond * seconds))
    const pace = { perSecond: postsPerSecond, seconds, connections: CONNECTIONS }
    const { ended } = await startPosting({ address, ingestKey, pace, bodies })
    const [p99] = await Promise.all([readPages(), ended])
    return p99
  }
  // Clients poll: what is measured are pages that were requested before.
  const first = pages.values()
  await saturate(address, CONNECTIONS, () => first.next().value)
  await readPages()
  const mixed = await judgeTurns('mixed', { rounds }, readWhileIngesting, readPages)
  const residentMb = options.residentBytes() / 1e6
  return [mixed, judge('memory', residentMb, null)]
}
