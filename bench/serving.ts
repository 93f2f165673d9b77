/** The third step: our server alone, with all events, under the loads of the HTTP rows. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '../src/lib/seeded-random.ts'
import { createInstallation } from './envelog/installation.ts'
import type { ServerProcess } from './envelog/server-process.ts'
import type { Loaded } from './loading.ts'
import { say } from './report/progress.ts'
import type { Row } from './report/row.ts'
import { measureCores } from './rows/cores.ts'
import { addVictim, measureFair } from './rows/fair.ts'
import { comparePages, compareSinglePosts } from './rows/handlers.ts'
import { measureHandover } from './rows/handover.ts'
import { ingestRate } from './rows/load.ts'
import { measureMixed } from './rows/mixed.ts'
import { compareGrowth, type PageTarget } from './rows/pages.ts'
import { compareStarts } from './rows/start.ts'
import type { Run } from './setup.ts'
import { type FreshEvents, makeFreshEvents } from './traffic/fresh-events.ts'
import { DOMAIN_NAMES } from './traffic/traffic.ts'

/** The rows that need a server with all events. */
const SERVER_ROWS = ['growth_read', 'page', 'ingest_single', 'mixed', 'memory'] as const

const ROUNDS = { start: 5, growth: 5, handlers: 5, mixed: 7, cores: 3, handover: 7, fair: 3 } as const
const ONCE = { start: 1, growth: 1, handlers: 1, mixed: 1, cores: 1, handover: 1, fair: 1 } as const

function workload({ options }: Run) {
  return options.isShort
    ? { pages: 100, singles: 100, mixedSeconds: 1, fairSeconds: 1, rounds: ONCE }
    : { pages: 4000, singles: 8000, mixedSeconds: 5, fairSeconds: 5, rounds: ROUNDS }
}

export async function loadServer(run: Run, loaded: Loaded): Promise<readonly Row[]> {
  const rows: Row[] = []
  if (run.wants('start')) rows.push(await measureStart(run))
  if (SERVER_ROWS.some((name) => run.wants(name))) rows.push(...(await measureServer(run, loaded)))
  if (run.wants('cores')) rows.push(await measureReaders(run))
  if (run.wants('handover')) rows.push(await measurePool(run))
  if (run.wants('fair')) rows.push(await measureShares(run))
  return rows
}

async function measureServer(run: Run, loaded: Loaded): Promise<readonly Row[]> {
  const rows: Row[] = []
  await using server = await run.startServer(run.installation.dataDir)
  if (run.wants('growth_read')) rows.push(await measureGrowth(run, server, loaded.earlyDomains))
  const fresh = makeFreshEvents(run.options.seed + 1000, run.window)
  if (run.wants('page') || run.wants('ingest_single')) rows.push(...(await measureHandlers(run, server, fresh)))
  if (run.wants('mixed') || run.wants('memory')) {
    say('mixed')
    const mixed = await measureMixed({
      target: run.pagesOf(server),
      residentBytes: () => server.residentBytes(),
      domains: DOMAIN_NAMES,
      random: createSeededRandom(run.options.seed),
      ingestMax: ingestRate(loaded.parts),
      seconds: workload(run).mixedSeconds,
      rounds: workload(run).rounds.mixed,
      ingestKey: run.installation.ingestKey,
      fresh,
    })
    rows.push(...mixed)
  }
  return rows
}

function measureStart(run: Run): Promise<Row> {
  say('start')
  const emptyDir = join(run.folder, 'empty')
  mkdirSync(emptyDir)
  return compareStarts(run.serverOf(run.installation.dataDir), run.serverOf(emptyDir), workload(run).rounds.start)
}

async function measureShares(run: Run): Promise<Row> {
  say('fair')
  const { installation, options, window } = run
  const victimKey = await addVictim(installation.dataDir, options.seed + 2000, window)
  await using server = await run.startServer(installation.dataDir)
  const { address } = server
  const { fairSeconds: seconds, rounds } = workload(run)
  return await measureFair({
    address,
    victimKey,
    neighbourKey: installation.tenantKey,
    window,
    seconds,
    rounds: rounds.fair,
  })
}

function measureReaders(run: Run): Promise<Row> {
  say('cores')
  return measureCores({
    async startServer(readers) {
      const environment = { ENVELOG_READERS: String(readers) }
      const server = await run.startServer(run.installation.dataDir, { environment })
      return { ...run.pagesOf(server), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
    },
    domains: DOMAIN_NAMES,
    random: createSeededRandom(run.options.seed),
    pages: workload(run).pages,
    rounds: workload(run).rounds.cores,
  })
}

async function measurePool(run: Run): Promise<Row> {
  say('handover')
  const { dataDir } = run.installation
  // A folder has one server.
  const copyDir = join(run.folder, 'copy')
  cpSync(dataDir, copyDir, { recursive: true })
  const program = [join(import.meta.dirname, 'envelog/server-without-pool.ts')] as const
  await using server = await run.startServer(dataDir)
  await using other = await run.startServer(copyDir, { program })
  const [pool, withoutPool] = [run.pagesOf(server), run.pagesOf(other)]
  const { pages, rounds } = workload(run)
  return await measureHandover({ pool, withoutPool, domains: DOMAIN_NAMES, pages: pages / 2, rounds: rounds.handover })
}

async function measureGrowth(run: Run, server: ServerProcess, domains: readonly string[]): Promise<Row> {
  say('growth_read')
  await using twentieth = await run.startServer(run.twentiethDir)
  const { pages, rounds } = workload(run)
  const work = { requests: pages / 4, rounds: rounds.growth }
  return await compareGrowth(run.pagesOf(server), run.pagesOf(twentieth), domains, work)
}

/** The baseline has a data folder of its own, with nothing but keys. */
async function measureHandlers(run: Run, server: ServerProcess, fresh: FreshEvents): Promise<readonly Row[]> {
  const { pages, singles, rounds } = workload(run)
  const ours = run.pagesOf(server)
  const baselineDir = join(run.folder, 'baseline')
  mkdirSync(baselineDir)
  const pagesFile = join(run.folder, 'pages.json')
  writeFileSync(pagesFile, JSON.stringify(await fetchPages(ours)))
  const { tenantKey, ingestKey } = await createInstallation(baselineDir, [])
  const program = [join(import.meta.dirname, 'envelog/baseline-server.ts'), pagesFile] as const
  await using baseline = await run.startServer(baselineDir, { program })
  const { address } = baseline

  const rows: Row[] = []
  if (run.wants('page')) {
    say('page')
    const path = (name: string) => ours.path(name).replace('/webhooks/', '/baseline/pages/')
    const random = createSeededRandom(run.options.seed)
    rows.push(
      await comparePages(
        ours,
        { address, key: tenantKey, path },
        DOMAIN_NAMES,
        { requests: pages, rounds: rounds.handlers },
        random,
      ),
    )
  }
  if (run.wants('ingest_single')) {
    say('ingest_single')
    const product = { address: server.address, key: run.installation.ingestKey, path: '/ingest/events' }
    const empty = { address, key: ingestKey, path: '/baseline/ingest' }
    rows.push(await compareSinglePosts(product, empty, () => fresh.takeSingles(singles), rounds.handlers))
  }
  return rows
}

/** The bodies of all domains' newest pages, for the baseline to send. */
async function fetchPages({ address, key, path }: PageTarget): Promise<Record<string, string>> {
  const pages: Record<string, string> = {}
  for (const name of DOMAIN_NAMES) {
    const response = await fetch(`${address}${path(name)}`, { headers: { authorization: key } })
    if (!response.ok) throw new Error(`the page of ${name} was answered ${response.status}`)
    pages[name] = await response.text()
  }
  return pages
}
