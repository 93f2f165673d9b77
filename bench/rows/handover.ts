/** `handover`: pages that a reading thread serves, against the same server with these reads on the serving thread. */

import { takeTurns } from '../load/figures.ts'
import { saturate } from '../load/http-load.ts'
import { say } from '../report/progress.ts'
import { judge, type Row } from '../report/row.ts'
import { type PageTarget, pageLatency, pageRequests } from './pages.ts'

/** Clients that wait for a page at the same time, as on a server in use. */
const CONNECTIONS = 8
const MORE_MS = 0.1

export interface HandoverOptions {
  readonly pool: PageTarget
  readonly withoutPool: PageTarget
  readonly domains: readonly string[]
  readonly pages: number
  readonly rounds: number
}

export async function measureHandover(options: HandoverOptions): Promise<Row> {
  const { pool, withoutPool, domains, pages, rounds } = options
  // With a filter: the newest pages are kept in memory.
  const [ours, peers] = [pool, withoutPool].map((target) => ({
    ...target,
    path: (name: string) => `${target.path(name)}&type=Delivery`,
  })) as [PageTarget, PageTarget]
  const timePerPage = (target: PageTarget) => async () => {
    const requests = pageRequests(target, domains)
    let sent = 0
    const next = () => (sent < pages ? requests[sent++ % requests.length] : undefined)
    return ((await saturate(target.address, CONNECTIONS, next)).seconds * 1000) / pages
  }
  const latency = (target: PageTarget) => () => pageLatency(target, domains, pages / 4)
  for (const target of [ours, peers]) await timePerPage(target)()
  const single = await takeTurns({ rounds }, latency(ours), latency(peers))
  say(`handover: ${single.ours.toFixed(3)} ms on one connection, ${single.peer.toFixed(3)} ms without the pool`)
  const figures = await takeTurns({ rounds }, timePerPage(ours), timePerPage(peers))
  return judge('handover', figures.ours, figures.peer, figures.ours - figures.peer <= MORE_MS)
}
