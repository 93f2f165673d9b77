/** `page` and `ingest_single`: our handlers against handlers of the same server that do nothing. */
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { type NextRequest, postRequest, saturate } from '../load/http-load.ts'
import type { Row, RowName } from '../report/row.ts'
import { judgeTurns } from './judge-turns.ts'
import { type PageTarget, type PageWork, pageRequests } from './pages.ts'

const PAGE_CONNECTIONS = 16
const SINGLE_CONNECTIONS = 64

/** A server and its path for ingest. */
export interface IngestTarget {
  readonly address: string
  readonly key: string
  readonly path: string
}

export async function comparePages(
  ours: PageTarget,
  baseline: PageTarget,
  domains: readonly string[],
  { requests, rounds }: PageWork,
  random: SeededRandom,
): Promise<Row> {
  const load = (target: PageTarget) => {
    const pages = pageRequests(target, domains)
    let left = requests
    return requestRate(target.address, PAGE_CONNECTIONS, () => (left-- > 0 ? random.pick(pages) : undefined))
  }
  return compareLoads('page', rounds, load, ours, baseline)
}

/** Every round has bodies of its own, so that no event is sent twice. */
export async function compareSinglePosts(
  ours: IngestTarget,
  baseline: IngestTarget,
  takeBodies: () => readonly Buffer[],
  rounds: number,
): Promise<Row> {
  const load = ({ address, key, path }: IngestTarget) => {
    const bodies = takeBodies().values()
    return requestRate(address, SINGLE_CONNECTIONS, () => {
      const { value } = bodies.next()
      return value && postRequest(path, key, value)
    })
  }
  return compareLoads('ingest_single', rounds, load, ours, baseline)
}

/** After a round of each that does not count. */
async function compareLoads<Target>(
  row: RowName,
  rounds: number,
  load: (target: Target) => Promise<number>,
  ours: Target,
  baseline: Target,
): Promise<Row> {
  await load(ours)
  await load(baseline)
  return judgeTurns(
    row,
    { rounds },
    () => load(ours),
    () => load(baseline),
  )
}

async function requestRate(address: string, connections: number, next: NextRequest): Promise<number> {
  const { requests, seconds } = await saturate(address, connections, next)
  return requests / seconds
}
