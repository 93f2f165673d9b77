/** One whole run: load both sides, ask both sides, put our server under load, then let the parsers run alone. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askBothSides } from './asking.ts'
import type { CurvePoint } from './curve.ts'
import { createInstallation, type Installation } from './installation.ts'
import { type Loaded, loadBothSides } from './loading.ts'
import { describeMachine, type Machine } from './machine.ts'
import type { BenchOptions } from './options.ts'
import { Peer } from './peer/peer.ts'
import { SETTINGS, startPostgres } from './peer/postgres-process.ts'
import { say } from './progress.ts'
import { ROW_NAMES, ROWS, type Row, type RowName } from './row.ts'
import type { PageTarget } from './rows/http.ts'
import { ingestRate, judgeLoad, untilAtRest } from './rows/load.ts'
import { measureParsers, type ParserWork } from './rows/parsers.ts'
import { type ServerOptions, type ServerProcess, startServerProcess } from './server-process.ts'
import { loadServer } from './serving.ts'
import { dayAfter, PROFILES, type TrafficSummary, trafficWindow, type Window } from './traffic.ts'

/** What every step works with. */
export interface Run {
  readonly options: BenchOptions
  readonly window: Window
  readonly folder: string
  /** A copy of the data folder as it was when a twentieth was loaded. */
  readonly twentiethDir: string
  readonly installation: Installation
  /** Absent when no row that is wanted compares with it. */
  readonly peer: Peer | undefined
  wants(row: RowName): boolean
  serverOf(dataDir: string, program?: ServerOptions['program']): ServerOptions
  startServer(dataDir: string, program?: ServerOptions['program']): Promise<ServerProcess>
  pagesOf(server: ServerProcess): PageTarget
}

export interface BenchResult {
  readonly events: number
  readonly seed: number
  readonly machine: Machine
  readonly peer: {
    readonly version: string
    readonly settings: Readonly<Record<string, string>>
    readonly loaders: number
  } | null
  readonly traffic: TrafficSummary
  readonly rows: readonly Row[]
  readonly curve: readonly CurvePoint[]
}

/** Everything it starts or creates is put on the stack of resources, for the caller to dispose of. */
export async function runBench(options: BenchOptions, resources: AsyncDisposableStack): Promise<BenchResult> {
  const folder = openFolder(options, resources)
  const postgres = needsPeer(options) ? await startPostgres(options, resources) : undefined
  if (postgres) say(`${postgres.version} runs`)
  const names = PROFILES.map(({ domainName }) => domainName)
  const installation = await createInstallation(join(folder, 'data'), names)
  const peer = postgres && (await Peer.open(() => postgres.connect(), installation.domains, options.loaders))
  const run = createRun(options, folder, installation, peer, resources)

  const server = await run.startServer(installation.dataDir)
  const loaded = await loadBothSides(run, server)
  if (peer) {
    say('the server is left alone until it is at rest')
    await untilAtRest(server)
  }
  await server.stop()
  say(`traffic: ${JSON.stringify(loaded.summary)}`)
  const rows = [...judgeLoad(loaded.parts)]
  if (peer) rows.push(...(await askBothSides(run, peer, loaded)))
  await peer?.close()
  await postgres?.stop()
  rows.push(...(await loadServer(run, loaded)))
  rows.push(...measureParsers((name) => run.wants(name), parserWork(options), ingestRate(loaded.parts)))
  if (options.isKept) say(`kept: ${[folder, postgres?.folder].filter(Boolean).join(' ')}`)
  return toResult(options, loaded, rows, postgres?.version)
}

/** A small log gets a short run. */
function parserWork({ events }: BenchOptions): ParserWork {
  return events < 100_000 ? { inputs: 2000, rounds: 3 } : { inputs: 20_000, rounds: 5 }
}

function openFolder({ isKept }: BenchOptions, resources: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-bench-'))
  if (!isKept) resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'data'))
  return folder
}

function needsPeer({ only }: BenchOptions): boolean {
  return [...only].some((name) => ROWS[name].against.includes('PostgreSQL') || name === 'short_needle')
}

function createRun(
  options: BenchOptions,
  folder: string,
  installation: Installation,
  peer: Peer | undefined,
  resources: AsyncDisposableStack,
): Run {
  const window = trafficWindow(Math.floor(Date.now() / 1000))
  // The day after is where later rows write: a page shows what has just come in.
  const query = `start_timestamp=${window.startTimestamp}&end_timestamp=${dayAfter(window).endTimestamp}`
  const serverOf: Run['serverOf'] = (dataDir, program) => ({
    dataDir,
    logFile: join(folder, 'server.log'),
    ...(program && { program }),
  })
  return {
    options,
    window,
    folder,
    twentiethDir: join(folder, 'twentieth'),
    installation,
    peer,
    wants: (row) => options.only.has(row),
    serverOf,
    startServer: async (dataDir, program) => resources.use(await startServerProcess(serverOf(dataDir, program))),
    pagesOf: (server) => ({
      server,
      key: installation.tenantKey,
      path: (domainName) => `/webhooks/${domainName}?${query}`,
    }),
  }
}

function toResult(
  options: BenchOptions,
  { summary, curve }: Loaded,
  rows: readonly Row[],
  version: string | undefined,
): BenchResult {
  const { events, seed, only } = options
  const wanted = rows.filter(({ name }) => only.has(name))
  return {
    events,
    seed,
    machine: describeMachine(),
    peer: version === undefined ? null : { version, settings: SETTINGS, loaders: options.loaders },
    traffic: summary,
    rows: wanted.toSorted((a, b) => ROW_NAMES.indexOf(a.name) - ROW_NAMES.indexOf(b.name)),
    curve,
  }
}
