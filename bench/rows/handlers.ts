/** `page` and `ingest_single`: our handlers against handlers of the same server that do nothing. */
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { takeTurns } from '../load/figures.ts'
import { type NextRequest, postRequest, saturate } from '../load/http-load.ts'
import { judge, type Row } from '../report/row.ts'
import { type PageTarget, pageRequests } from './page-target.ts'

const ROUNDS = 5
const PAGE_CONNECTIONS = 16
const SINGLE_CONNECTIONS = 64

/** A server and where it takes events. */
export interface IngestTarget {
  readonly address: string
  readonly key: string
  readonly path: string
}

export async function comparePages(
  ours: PageTarget,
  baseline: PageTarget,
  domains: readonly string[],
  requests: number,
  random: SeededRandom,
): Promise<Row> {
  const load = (target: PageTarget) => {
    const pages = pageRequests(target, domains)
    let left = requests
    return requestRate(target.address, PAGE_CONNECTIONS, () => (left-- > 0 ? random.pick(pages) : undefined))
  }
  const figures = await compareLoads(load, ours, baseline)
  return judge('page', figures.ours, figures.peer)
}

/** Every round has bodies of its own, so that no event is sent twice. */
export async function compareSinglePosts(
  ours: IngestTarget,
  baseline: IngestTarget,
  takeBodies: () => readonly Buffer[],
): Promise<Row> {
  const load = ({ address, key, path }: IngestTarget) => {
    const bodies = takeBodies().values()
    return requestRate(address, SINGLE_CONNECTIONS, () => {
      const { value } = bodies.next()
      return value && postRequest(path, key, value)
    })
  }
  const figures = await compareLoads(load, ours, baseline)
  return judge('ingest_single', figures.ours, figures.peer)
}

/** After a round of each that does not count. */
async function compareLoads<Target>(load: (target: Target) => Promise<number>, ours: Target, baseline: Target) {
  await load(ours)
  await load(baseline)
  return takeTurns(
    { rounds: ROUNDS },
    () => load(ours),
    () => load(baseline),
  )
}

async function requestRate(address: string, connections: number, next: NextRequest): Promise<number> {
  const { requests, seconds } = await saturate(address, connections, next)
  return requests / seconds
}
