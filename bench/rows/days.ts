/**
 * `days_…`: processor time of the server for questions whose answers do not depend on how long the history is, with many days
 * and with fifteen; the time of a start; and memory.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory, HISTORY_DOMAINS } from '../envelog/long-history.ts'
import type { ServerOptions, ServerProcess } from '../envelog/server-process.ts'
import { takeTurns } from '../load/figures.ts'
import { getRequest, type LoadRequest, saturate } from '../load/http-load.ts'
import { say } from '../report/progress.ts'
import { judge, type Row, type RowName } from '../report/row.ts'
import { untilIdle } from './load.ts'

const DAYS_QUESTIONS = ['newest', 'stats', 'series', 'unknown_id'] as const
type DaysQuestion = (typeof DAYS_QUESTIONS)[number]

const FEW = 15
const MANY = [400, 3650] as const
/** A short run has fewer days by this factor. */
const SHORT = 100
const START_MS_MAX = 3000
const DAY_SECONDS = 86_400
/** Otherwise the server would remove most of them when it starts. */
const ENVIRONMENT = { ENVELOG_READ_RATE: 'off', ENVELOG_RETENTION: '36500d' }

export interface DaysRun {
  readonly folder: string
  readonly isShort: boolean
  readonly wants: (row: RowName) => boolean
  readonly startServer: (options: ServerOptions) => Promise<ServerProcess>
}

interface Folder {
  readonly key: string
  readonly options: ServerOptions
}

export async function measureDays(run: DaysRun): Promise<readonly Row[]> {
  const rows: Row[] = []
  const few = await createFolder(run, FEW)
  for (const days of MANY) {
    if (!([...DAYS_QUESTIONS, 'start', 'memory'] as const).some((name) => run.wants(rowName(days, name)))) continue
    const many = await createFolder(run, run.isShort ? Math.ceil(days / SHORT) : days)
    rows.push(...(await compareFolders(run, days, many, few)))
  }
  return rows
}

async function createFolder({ folder, isShort }: DaysRun, days: number): Promise<Folder> {
  say(`${days} days of mail${isShort ? ', for a short run' : ''}`)
  const dataDir = join(folder, `days-${days}`)
  mkdirSync(dataDir)
  const { tenantKey } = await createHistory(dataDir, days)
  return { key: tenantKey, options: { dataDir, logFile: join(folder, 'server.log'), environment: ENVIRONMENT } }
}

async function compareFolders(run: DaysRun, days: (typeof MANY)[number], many: Folder, few: Folder) {
  const rows: Row[] = []
  const starts = await takeTurns(
    { rounds: run.isShort ? 1 : 5 },
    () => measureStart(run, many.options),
    () => measureStart(run, few.options),
  )
  rows.push(judge(rowName(days, 'start'), starts.ours, starts.peer, starts.ours <= START_MS_MAX))
  await using manyServer = await run.startServer(many.options)
  await using fewServer = await run.startServer(few.options)
  await untilIdle(manyServer, run)
  const requests = run.isShort ? 40 : 400
  for (const question of DAYS_QUESTIONS) {
    const name = rowName(days, question)
    if (!run.wants(name)) continue
    say(name)
    const ask = (server: ServerProcess, { key }: Folder) => processorTime(server, makeRequests(question, key), requests)
    await ask(manyServer, many)
    await ask(fewServer, few)
    const times = await takeTurns(
      { rounds: run.isShort ? 1 : 5 },
      () => ask(manyServer, many),
      () => ask(fewServer, few),
    )
    rows.push(judge(name, times.ours, times.peer))
  }
  const megabytes = (server: ServerProcess) => server.residentBytes() / 2 ** 20
  rows.push(judge(rowName(days, 'memory'), megabytes(manyServer), megabytes(fewServer)))
  return rows
}

async function measureStart({ startServer }: DaysRun, options: ServerOptions): Promise<number> {
  await using server = await startServer(options)
  return server.startMs
}

/** Milliseconds of all threads of the server for one request. */
async function processorTime(server: ServerProcess, requests: readonly LoadRequest[], count: number): Promise<number> {
  const before = server.processorMs()
  let sent = 0
  await saturate(server.address, 1, () => (sent < count ? requests[sent++ % requests.length] : undefined))
  // A tick of the kernel's clock is the least that it can have used.
  return Math.max(10, server.processorMs() - before) / count
}

function makeRequests(question: DaysQuestion, key: string): readonly LoadRequest[] {
  const now = Math.floor(Date.now() / 1000)
  const from = (days: number) => new Date((now - days * DAY_SECONDS) * 1000).toISOString()
  const paths: Readonly<Record<DaysQuestion, readonly string[]>> = {
    // Of all domains from the files; of one domain, with a filter, from the files; of one domain from memory.
    newest: ['/v1/events?limit=30', '/webhooks/one.example?type=Delivery&limit=10', '/webhooks/two.example?limit=10'],
    stats: ['/domain/stats'],
    // The default, the longest by hours, the longest by days.
    series: [
      '/v1/stats/series',
      `/v1/stats/series?from=${from(99)}`,
      `/v1/stats/series?bucket=day&from=${from(2399)}`,
      `/v1/stats/series?bucket=day&from=${from(2399)}&group=provider&domain=one.example`,
    ],
    unknown_id: HISTORY_DOMAINS.map((name, index) => `/webhooks/${name}?message_id=unknown-${index}`),
  }
  return paths[question].map((path) => getRequest(path, key))
}

function rowName<Name extends string>(days: (typeof MANY)[number], name: Name): `days_${typeof days}_${Name}` {
  return `days_${days}_${name}`
}
