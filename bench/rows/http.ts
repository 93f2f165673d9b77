/** `page` and `ingest_single`: what our handlers make of a server, against handlers that do nothing. */

import type { SeededRandom } from '../../src/demo/seeded-random.ts'
import { getRequest, HttpConnection, postRequest } from '../http-connection.ts'
import { saturate } from '../http-load.ts'
import { takeTurns } from '../measure.ts'
import { judge, type Row } from '../row.ts'
import type { ServerProcess } from '../server-process.ts'

const ROUNDS = 5
const PAGE_CONNECTIONS = 16
const SINGLE_CONNECTIONS = 64

/** A server and how a domain's newest page is asked for. */
export interface PageTarget {
  readonly server: ServerProcess
  readonly key: string
  readonly path: (domainName: string) => string
}

/** A server and where it takes events. */
export interface IngestTarget {
  readonly server: ServerProcess
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
  const load = async (target: PageTarget) => {
    const all = domains.map((name) => getRequest(target.path(name), target.key))
    let left = requests
    const result = await saturate(target.server.address, PAGE_CONNECTIONS, () =>
      left-- > 0 ? random.pick(all) : undefined,
    )
    return result.requests / result.seconds
  }
  await load(ours)
  await load(baseline)
  const figures = await takeTurns(
    { rounds: ROUNDS },
    () => load(ours),
    () => load(baseline),
  )
  return judge('page', figures.ours, figures.peer)
}

/** The bodies of the domains' newest pages, for the baseline to send. */
export async function fetchPages(target: PageTarget, domains: readonly string[]): Promise<Record<string, string>> {
  const connection = await HttpConnection.open(target.server.address)
  const pages: Record<string, string> = {}
  for (const name of domains) {
    const { status, body } = await connection.send(getRequest(target.path(name), target.key))
    if (status !== 200) throw new Error(`the page of ${name} was answered with ${status}`)
    pages[name] = body.toString()
  }
  connection.close()
  return pages
}

/** Every round has bodies of its own, so that no event is sent twice. */
export async function compareSinglePosts(
  ours: IngestTarget,
  baseline: IngestTarget,
  takeBodies: () => readonly Buffer[],
): Promise<Row> {
  const load = async ({ server, key, path }: IngestTarget) => {
    const requests = takeBodies()
      .map((body) => postRequest(path, key, body))
      .values()
    const result = await saturate(server.address, SINGLE_CONNECTIONS, () => requests.next().value)
    return result.requests / result.seconds
  }
  await load(ours)
  await load(baseline)
  const figures = await takeTurns(
    { rounds: ROUNDS },
    () => load(ours),
    () => load(baseline),
  )
  return judge('ingest_single', figures.ours, figures.peer)
}
