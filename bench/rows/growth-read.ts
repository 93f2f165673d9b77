/** `growth_read`: the same pages from the whole log and from a copy that was taken when it held a twentieth. */
import { takeTurns } from '../load/figures.ts'
import { judge, type Row } from '../report/row.ts'
import { type PageTarget, pageLatency } from './page-target.ts'

const ROUNDS = 5

/** `domains` fill a page in both. */
export async function compareGrowth(
  whole: PageTarget,
  twentieth: PageTarget,
  domains: readonly string[],
  requests: number,
): Promise<Row> {
  const ours = () => pageLatency(whole, domains, requests)
  const early = () => pageLatency(twentieth, domains, requests)
  await ours()
  await early()
  const figures = await takeTurns({ rounds: ROUNDS }, ours, early)
  return judge('growth_read', figures.ours, figures.peer)
}
