/** How both sides fare while the log grows: a point per part of the load, for the plot. */

import { getRequest } from './http-connection.ts'
import { saturate } from './http-load.ts'
import { median, timed } from './measure.ts'
import type { Peer } from './peer/peer.ts'
import type { PageTarget } from './rows/http.ts'
import { page } from './rows/questions.ts'
import type { Window } from './traffic.ts'

export interface CurvePoint {
  /** Events stored. */
  readonly events: number
  /** Events a second during the last part. */
  readonly ingest: { readonly ours: number; readonly peer: number | null }
  /** The newest page, median: ours over HTTP, the peer's the query alone. */
  readonly pageMs: { readonly ours: number; readonly peer: number | null }
}

const REQUESTS = 100

export async function measurePages(
  target: PageTarget,
  peer: Peer | undefined,
  domains: readonly string[],
  window: Window,
): Promise<CurvePoint['pageMs']> {
  const requests = domains.map((name) => getRequest(target.path(name), target.key))
  const load = async () => {
    let sent = 0
    const next = () => (sent < REQUESTS ? requests[sent++ % requests.length] : undefined)
    return median((await saturate(target.server.address, 1, next)).latenciesMs)
  }
  await load()
  return { ours: await load(), peer: peer ? await askPeer(peer, domains, window) : null }
}

async function askPeer(peer: Peer, domains: readonly string[], window: Window): Promise<number> {
  // Its planner has to know how much there is by now.
  await peer.analyze()
  const questions = await Promise.all(domains.map((name) => peer.prepare(page(name, window))))
  const times: number[] = []
  for (let asked = 0; asked < 2 * REQUESTS; asked++) {
    const question = questions[asked % questions.length]
    if (question) times.push(await timed(() => question.ask()))
  }
  return median(times.slice(REQUESTS))
}
