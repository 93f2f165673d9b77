/** `growth_read`: the same pages from the whole log and from a copy that was taken when it held a twentieth. */
import { getRequest } from '../http-connection.ts'
import { saturate } from '../http-load.ts'
import { median, takeTurns } from '../measure.ts'
import { judge, type Row } from '../row.ts'
import type { PageTarget } from './http.ts'

const ROUNDS = 5

/** `domains` fill a page in both. One request at a time: this is about latency. */
export async function compareGrowth(
  whole: PageTarget,
  twentieth: PageTarget,
  domains: readonly string[],
  requests: number,
): Promise<Row> {
  const medianLatency = async (target: PageTarget) => {
    const all = domains.map((name) => getRequest(target.path(name), target.key))
    let sent = 0
    const next = () => (sent < requests ? all[sent++ % all.length] : undefined)
    return median((await saturate(target.server.address, 1, next)).latenciesMs)
  }
  await medianLatency(whole)
  await medianLatency(twentieth)
  const figures = await takeTurns(
    { rounds: ROUNDS },
    () => medianLatency(whole),
    () => medianLatency(twentieth),
  )
  return judge('growth_read', figures.ours, figures.peer)
}
