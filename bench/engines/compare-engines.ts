/** npm run bench -- --engine clickhouse: the same mail and the same questions to servers on ClickHouse and PostgreSQL and on the embedded engine. */
import { globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmailEvent } from '../../src/events/event.ts'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { runCli } from '../../test/harness/programs/run-cli.ts'
import { createInstallation } from '../envelog/installation.ts'
import { startServerProcess } from '../envelog/server-process.ts'
import { WEBHOOKS } from '../envelog/surfaces.ts'
import { Figures } from '../load/figures.ts'
import type { BenchOptions } from '../options.ts'
import { HttpSide } from '../questions/http-side.ts'
import { makeQuestions, type QueryRow } from '../questions/one-domain.ts'
import { type PreparedQuestion, type Question, requireSameAnswer } from '../questions/question.ts'
import { describeMachine } from '../report/machine.ts'
import { say } from '../report/progress.ts'
import { untilIdle } from '../rows/load.ts'
import { medianTime, prepare } from '../rows/queries.ts'
import { DOMAIN_NAMES, trafficWindow, type Window } from '../traffic/traffic.ts'
import { type DatabaseTimes, startClusterSide } from './cluster-side.ts'
import type { EngineRow, EnginesResult } from './engines-table.ts'
import { type Engine, loadEngines } from './load-engines.ts'

const ROWS: readonly QueryRow[] = ['newest', 'sparse_type', 'code', 'message_id', 'substring_rare', 'substring_common']
const ROUNDS = 15
const SHORT_ROUNDS = 3
/** The load uses one key for everything, and every answer is complete. */
const SETTINGS = { ENVELOG_READ_RATE: 'off', ENVELOG_INGEST_RATE: 'off', ENVELOG_QUERY_BUDGET: '60s' }

export async function compareEngines(options: BenchOptions, resources: AsyncDisposableStack): Promise<EnginesResult> {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-bench-'))
  if (!options.isKept) resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const cluster = await startClusterSide(resources, options.layout, options.isKept)
  say(cluster.description)
  const start = async (name: string, environment: Readonly<Record<string, string>>) => {
    const place = { dataDir: join(folder, name), logFile: join(folder, `${name}.log`) }
    mkdirSync(place.dataDir, { recursive: true })
    const started = await startServerProcess({ ...place, environment: { ...SETTINGS, ...environment } })
    return resources.use(started)
  }
  const open = async (
    name: string,
    environment: Readonly<Record<string, string>>,
    databases: () => Partial<DatabaseTimes>,
    others = 0,
  ): Promise<Engine> => {
    mkdirSync(join(folder, name))
    const installation = await createInstallation(join(folder, name), DOMAIN_NAMES, environment)
    const first = await start(name, environment)
    const servers = [first]
    for (let number = 2; number <= 1 + others; number++) servers.push(await start(`${name}-${number}`, environment))
    const processorMs = () => ({ Envelog: sum(servers.map((server) => server.processorMs())), ...databases() })
    const { address } = first
    const addresses = [address, ...servers.slice(1).map((server) => server.address)] as const
    const server = { address, addresses, processorMs: () => sum(Object.values(processorMs())) }
    return { installation, server, processorMs }
  }
  await migrate(cluster.environment, folder)
  const ours = await open('clickhouse', cluster.environment, () => cluster.processorMs(), options.servers - 1)
  const embedded = await open('embedded', {}, () => ({}))
  const window = trafficWindow(Math.floor(Date.now() / 1000))
  const { events, samples, rows } = await loadEngines(options, window, ours, embedded)
  say('waiting until both are idle')
  await cluster.untilMerged()
  // The traffic ends in the past: as if it ended now.
  await cluster.closeDays(window.endTimestamp * 1000)
  await untilIdle(embedded.server, options)
  const answered = await ask(options, window, samples, ours, embedded)
  const { bytes, parts } = await cluster.measureDisk()
  say(`${parts} parts in ClickHouse`)
  const ofFolder = folderBytes(embedded.installation.dataDir) / events
  const disk: EngineRow[] = [
    { name: 'disk, one copy', unit: 'bytes/event', clickhouse: bytes / events, embedded: ofFolder },
  ]
  return {
    events,
    seed: options.seed,
    machine: describeMachine(),
    servers: options.servers,
    databases: cluster.description,
    rows: [...rows, ...answered, ...disk],
  }
}

async function migrate(env: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  const { exitCode, stderr } = await runCli(['migrate'], {
    cwd,
    env: { ...env, ENVELOG_DATA_DIR: join(cwd, 'migrate') },
  })
  if (exitCode !== 0) throw new Error(`envelog migrate failed: ${stderr}`)
}

async function ask(
  { seed, isShort }: BenchOptions,
  window: Window,
  samples: readonly EmailEvent[],
  ours: Engine,
  embedded: Engine,
): Promise<readonly EngineRow[]> {
  await using mine = new HttpSide(ours.server.address, ours.installation.tenantKey, WEBHOOKS)
  await using theirs = new HttpSide(embedded.server.address, embedded.installation.tenantKey, WEBHOOKS)
  const source = { samples, window, random: createSeededRandom(seed) }
  const asked = [
    ...ROWS.map((name) => [name, makeQuestions(name, source)] as const),
    ['counts of 1,000 domains', Array.from({ length: 20 }, (): Question => ({ kind: 'stats' }))] as const,
  ]
  const rows: EngineRow[] = []
  for (const [name, questions] of asked) {
    say(name)
    const sides = { clickhouse: [] as PreparedQuestion[], embedded: [] as PreparedQuestion[] }
    for (const question of questions) {
      const [a, b] = [await prepare(mine, question), await prepare(theirs, question)]
      requireSameAnswer(name, question, a.read(await a.ask()), b.read(await b.ask()))
      sides.clickhouse.push(a)
      sides.embedded.push(b)
    }
    const [clickhouse, embedded] = [new Figures(), new Figures()]
    for (let round = 0; round < (isShort ? SHORT_ROUNDS : ROUNDS); round++) {
      clickhouse.add(await medianTime(sides.clickhouse))
      embedded.add(await medianTime(sides.embedded))
    }
    rows.push({ name, unit: 'ms', clickhouse: clickhouse.median, embedded: embedded.median })
  }
  return rows
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function folderBytes(dataDir: string): number {
  const files = globSync('events/*', { cwd: dataDir }).map((name) => statSync(join(dataDir, name)))
  return sum(files.map(({ size }) => size))
}
