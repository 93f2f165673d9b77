/** `fair`: the latency of one tenant's pages beside another that searches and exports without end. */
import { addTenant } from '../envelog/installation.ts'
import { getRequest, keepPace } from '../load/http-load.ts'
import { askPatiently, startNeighbour } from '../load/neighbour.ts'
import type { Row } from '../report/row.ts'
import { generateTraffic, type Window } from '../traffic/traffic.ts'
import { judgeTurns } from './judge-turns.ts'

const SEARCHES = 30
const EXPORTS = 4
const PAGES_PER_SECOND = 50
const CONNECTIONS = 32

const VICTIM = 'victim.test'
const VICTIM_EVENTS = 5000

/** Adds the tenant whose pages are measured, and returns its key. No server may run. */
export function addVictim(dataDir: string, seed: number, window: Window): Promise<string> {
  return addTenant(dataDir, VICTIM, generateTraffic(seed, VICTIM_EVENTS, window))
}

export interface FairOptions {
  readonly address: string
  readonly victimKey: string
  /** Of the tenant that has all other events. */
  readonly neighbourKey: string
  readonly window: Window
  readonly seconds: number
  readonly rounds: number
}

export async function measureFair(options: FairOptions): Promise<Row> {
  const { address, victimKey, neighbourKey, window, seconds, rounds } = options
  const times = `start_timestamp=${window.startTimestamp}&end_timestamp=${window.endTimestamp}`
  // One page from the newest events, which are kept in memory, and one from the files.
  const pages = ['', '&type=Bounce'].map((filter) => getRequest(`/webhooks/${VICTIM}?${times}${filter}`, victimKey))
  let sent = 0
  const readPages = async () => {
    const pace = { perSecond: PAGES_PER_SECOND, seconds, connections: CONNECTIONS }
    return (await keepPace(address, pace, () => pages[sent++ % pages.length])).latenciesMs.percentile(99)
  }
  // Two characters, for which no index helps, and which occur nowhere.
  const search = `/v1/events?q=%7E%7E&from=${toIso(window.startTimestamp)}`
  const file = `/v1/events?format=ndjson&from=${toIso(window.startTimestamp)}`
  const paths = [...Array<string>(SEARCHES).fill(search), ...Array<string>(EXPORTS).fill(file)]
  const readBeside = async () => {
    try {
      await using _neighbour = await startNeighbour({ address, key: neighbourKey, paths })
      return await readPages()
    } finally {
      await askPatiently({ address, key: neighbourKey, paths: [search] })
    }
  }
  await readPages()
  return judgeTurns('fair', { rounds }, readBeside, readPages)
}

function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
