/** The context of all steps of a run: options, installation, peer, and how servers are started. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/harness/storage/postgres-process.ts'
import { createInstallation, type Installation } from './envelog/installation.ts'
import { type ServerOptions, type ServerProcess, startServerProcess } from './envelog/server-process.ts'
import type { BenchOptions } from './options.ts'
import { openPeer, type Peer } from './peer/peer.ts'
import { SETTINGS } from './peer/settings.ts'
import { say } from './report/progress.ts'
import { ROWS, type RowName } from './report/row.ts'
import type { PageTarget } from './rows/pages.ts'
import { DOMAIN_NAMES, dayAfter, trafficWindow, type Window } from './traffic/traffic.ts'

/** A server may have another program or other settings than the product. */
type ServerChanges = Pick<ServerOptions, 'program' | 'environment'>

/** The load uses one key for everything. */
const UNLIMITED = { ENVELOG_READ_RATE: 'off' }

export interface Run {
  readonly options: BenchOptions
  readonly window: Window
  readonly folder: string
  /** A copy of the data folder as it was when a twentieth was loaded. */
  readonly twentiethDir: string
  readonly installation: Installation
  /** Absent when no requested row compares with it. */
  readonly peer: Peer | undefined
  wants(row: RowName): boolean
  serverOf(dataDir: string, changes?: ServerChanges): ServerOptions
  startServer(dataDir: string, changes?: ServerChanges): Promise<ServerProcess>
  /** The newest pages of a server with this installation's data. */
  pagesOf(server: ServerProcess): PageTarget
}

/** Everything it starts or creates is put on the stack of resources, for the caller to dispose of. */
export async function setUp(options: BenchOptions, resources: AsyncDisposableStack): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-bench-'))
  if (!options.isKept) resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = needsPeer(options)
    ? await startPostgres({ isKept: options.isKept, settings: SETTINGS }, resources)
    : undefined
  if (postgres) say(`${postgres.version} runs`)
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const installation = await createInstallation(dataDir, DOMAIN_NAMES)
  const peer = postgres && (await openPeer(postgres, installation.domains, options.loaders))

  const window = trafficWindow(Math.floor(Date.now() / 1000))
  // Later rows write to the day after: a page shows what has just arrived.
  const query = `start_timestamp=${window.startTimestamp}&end_timestamp=${dayAfter(window).endTimestamp}`
  const serverOf: Run['serverOf'] = (dir, changes) => ({
    dataDir: dir,
    logFile: join(folder, 'server.log'),
    ...changes,
    environment: { ...UNLIMITED, ...changes?.environment },
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
    startServer: async (dir, changes) => resources.use(await startServerProcess(serverOf(dir, changes))),
    pagesOf: ({ address }) => ({
      address,
      key: installation.tenantKey,
      path: (domainName) => `/webhooks/${domainName}?${query}`,
    }),
  }
}

function needsPeer({ only }: BenchOptions): boolean {
  return [...only].some((name) => 'isAsked' in ROWS[name] || ROWS[name].against.includes('PostgreSQL'))
}
