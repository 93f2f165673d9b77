/** `cores`: pages a second with as many reading threads as the machine has processors for, against one thread. */
import { availableParallelism } from 'node:os'
import type { SeededRandom } from '../../src/lib/seeded-random.ts'
import { Figures } from '../load/figures.ts'
import { saturate } from '../load/http-load.ts'
import { say } from '../report/progress.ts'
import { judge, type Row } from '../report/row.ts'
import { type PageTarget, pageRequests } from './pages.ts'

const READERS = [1, 2, 4]
/** Below the number of reads that a tenant may have running or waiting. */
const CONNECTIONS = 24

export interface CoresOptions {
  /** The server has to end when it is disposed of. */
  readonly startServer: (readers: number) => Promise<PageTarget & AsyncDisposable>
  readonly domains: readonly string[]
  readonly random: SeededRandom
  readonly pages: number
  readonly rounds: number
}

export async function measureCores(options: CoresOptions): Promise<Row> {
  const processors = availableParallelism()
  const rates = new Map<number, number>()
  for (const readers of READERS.filter((count) => count <= processors)) {
    rates.set(readers, await pageRate(options, readers))
    say(`cores: ${Math.round(rates.get(readers) ?? 0).toLocaleString('en-US')} pages/s with ${readers} readers`)
  }
  const most = Math.max(...rates.keys())
  const [one = 1, ours = 1] = [rates.get(1), rates.get(most)]
  // The load and the serving thread need processors, too: without them it only has to cost nothing.
  const expected = processors >= 2 * most ? most / 2 : 0.9
  return judge('cores', ours, one, ours / one >= expected)
}

async function pageRate(
  { startServer, domains, random, pages, rounds }: CoresOptions,
  readers: number,
): Promise<number> {
  await using target = await startServer(readers)
  // With a filter: the newest pages are kept in memory.
  const requests = pageRequests({ ...target, path: (name) => `${target.path(name)}&type=Delivery` }, domains)
  const rates = new Figures()
  for (let round = 0; round <= rounds; round++) {
    let left = pages
    const load = await saturate(target.address, CONNECTIONS, () => (left-- > 0 ? random.pick(requests) : undefined))
    // The first round is a warm-up.
    if (round > 0) rates.add(load.requests / load.seconds)
  }
  return rates.median
}
