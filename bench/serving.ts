/** The third step: our server alone, with all the events, under the loads that the HTTP rows describe. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '../src/demo/seeded-random.ts'
import { makeFreshEvents } from './fresh-events.ts'
import { createInstallation } from './installation.ts'
import type { Loaded } from './loading.ts'
import { say } from './progress.ts'
import type { Row } from './row.ts'
import { compareGrowth } from './rows/growth-read.ts'
import { comparePages, compareSinglePosts, fetchPages } from './rows/http.ts'
import { ingestRate } from './rows/load.ts'
import { measureMixed } from './rows/mixed.ts'
import { compareStarts } from './rows/start.ts'
import type { Run } from './run.ts'
import type { ServerProcess } from './server-process.ts'
import { PROFILES } from './traffic.ts'

/** The rows that need a server with everything in it. */
const SERVER_ROWS = ['growth_read', 'page', 'ingest_single', 'mixed', 'memory'] as const

const DOMAIN_NAMES = PROFILES.map(({ domainName }) => domainName)

/** How much load the rows put on; a small log gets a short run. */
function workload(events: number): { starts: number; pages: number; singles: number; mixedSeconds: number } {
  return events < 100_000
    ? { starts: 3, pages: 400, singles: 400, mixedSeconds: 1 }
    : { starts: 5, pages: 4000, singles: 8000, mixedSeconds: 5 }
}

export async function loadServer(run: Run, loaded: Loaded): Promise<readonly Row[]> {
  const rows: Row[] = []
  if (run.wants('start')) {
    say('start')
    const emptyDir = join(run.folder, 'empty')
    mkdirSync(emptyDir)
    rows.push(
      await compareStarts(
        run.serverOf(run.installation.dataDir),
        run.serverOf(emptyDir),
        workload(run.options.events).starts,
      ),
    )
  }
  if (!SERVER_ROWS.some((name) => run.wants(name))) return rows
  await using server = await run.startServer(run.installation.dataDir)
  if (run.wants('growth_read')) rows.push(await measureGrowth(run, server, loaded.earlyDomains))
  const fresh = makeFreshEvents(run.options.seed + 1000, run.window)
  if (run.wants('page') || run.wants('ingest_single')) rows.push(...(await measureHandlers(run, server, fresh)))
  if (run.wants('mixed') || run.wants('memory')) {
    say('mixed')
    rows.push(
      ...(await measureMixed({
        target: run.pagesOf(server),
        domains: DOMAIN_NAMES,
        random: createSeededRandom(run.options.seed),
        ingestMax: ingestRate(loaded.parts),
        seconds: workload(run.options.events).mixedSeconds,
        ingestKey: run.installation.ingestKey,
        fresh,
      })),
    )
  }
  return rows
}

async function measureGrowth(run: Run, server: ServerProcess, domains: readonly string[]): Promise<Row> {
  say('growth_read')
  await using twentieth = await run.startServer(run.twentiethDir)
  return await compareGrowth(
    run.pagesOf(server),
    run.pagesOf(twentieth),
    domains,
    workload(run.options.events).pages / 4,
  )
}

/** The baseline has its own data folder, with keys and nothing else. */
async function measureHandlers(
  run: Run,
  server: ServerProcess,
  fresh: ReturnType<typeof makeFreshEvents>,
): Promise<readonly Row[]> {
  const { pages, singles } = workload(run.options.events)
  const ours = run.pagesOf(server)
  const baselineDir = join(run.folder, 'baseline')
  mkdirSync(baselineDir)
  const pagesFile = join(run.folder, 'pages.json')
  writeFileSync(pagesFile, JSON.stringify(await fetchPages(ours, DOMAIN_NAMES)))
  const { tenantKey, ingestKey } = await createInstallation(baselineDir, [])
  const program = [join(import.meta.dirname, 'baseline-server.ts'), pagesFile] as const
  await using baseline = await run.startServer(baselineDir, [...program])

  const rows: Row[] = []
  if (run.wants('page')) {
    say('page')
    const target = {
      server: baseline,
      key: tenantKey,
      path: (name: string) => ours.path(name).replace('/webhooks/', '/baseline/pages/'),
    }
    rows.push(await comparePages(ours, target, DOMAIN_NAMES, pages, createSeededRandom(run.options.seed)))
  }
  if (run.wants('ingest_single')) {
    say('ingest_single')
    const product = { server, key: run.installation.ingestKey, path: '/ingest/events' }
    const empty = { server: baseline, key: ingestKey, path: '/baseline/ingest' }
    rows.push(await compareSinglePosts(product, empty, () => fresh.takeSingles(singles)))
  }
  return rows
}
