/** How both sides perform while the log grows: a point per part of the load, for the plot. */
import type { Peer } from './peer/peer.ts'
import { page } from './questions/one-domain.ts'
import type { CurvePoint } from './report/plot.ts'
import { type PageTarget, pageLatency } from './rows/pages.ts'
import { medianTime } from './rows/queries.ts'
import type { Window } from './traffic/traffic.ts'

const REQUESTS = 100

export async function measurePages(
  target: PageTarget,
  peer: Peer | undefined,
  domains: readonly string[],
  window: Window,
): Promise<CurvePoint['pageMs']> {
  await pageLatency(target, domains, REQUESTS)
  const ours = await pageLatency(target, domains, REQUESTS)
  return { ours, peer: peer ? await askPeer(peer, domains, window) : null }
}

async function askPeer(peer: Peer, domains: readonly string[], window: Window): Promise<number> {
  // Its planner needs to know how many rows there are by now.
  await peer.analyze()
  const questions = domains.map((name) => peer.log.prepare(page(name, window)))
  await medianTime(questions)
  return medianTime(questions)
}
