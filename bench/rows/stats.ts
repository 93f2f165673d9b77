/** `stats`: the counts of all domains of the tenant. */
import { isDeepStrictEqual } from 'node:util'
import type { Service } from '../../src/open-service.ts'
import { getDomainStats } from '../../src/stats/get-domain-stats.ts'
import { median, takeTurns, timed } from '../measure.ts'
import type { Peer } from '../peer/peer.ts'
import { judge, type Row } from '../row.ts'

const ROUNDS = 9
const CALLS = 20

export async function compareStats({ storage }: Service, tenantId: string, peer: Peer): Promise<Row> {
  const ours = () => getDomainStats({ stats: storage.stats, domains: storage.domains }, tenantId)
  const expected = (await peer.stats())
    .map(([name = '', bounce, delivery, reception]) => ({
      name,
      counts: { bounce: Number(bounce), delivery: Number(delivery), reception: Number(reception) },
    }))
    .toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
  const counted = (await ours()).map(({ name, counts }) => ({ name, counts }))
  if (!isDeepStrictEqual(counted, expected)) throw new Error('stats: the two sides count differently')

  const medianOf = async (call: () => Promise<unknown>) => {
    const times: number[] = []
    while (times.length < CALLS) times.push(await timed(call))
    return median(times)
  }
  const figures = await takeTurns(
    { rounds: ROUNDS },
    () => medianOf(ours),
    () => medianOf(() => peer.stats()),
  )
  return judge('stats', figures.ours, figures.peer)
}
