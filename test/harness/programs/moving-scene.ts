/** An installation in a data folder, and empty databases that it can be moved to, with the commands that do it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ClickHouseCluster, startCluster } from '../storage/clickhouse/cluster.ts'
import { startPostgres } from '../storage/postgres-process.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { type Installation, openInstallation } from './installation.ts'
import { LAUNCHER } from './program-files.ts'
import { type CliResult, runCli } from './run-cli.ts'
import { cleanEnvironment, type ServerProcess, serveProcess } from './server-process.ts'

const DATABASE = 'envelog'
/** Compared at the end. */
const PAGES = 60

export interface MoveOutcome {
  readonly exitCode: number | null
  readonly stderr: string
  readonly isFinished: boolean
  /** By an earlier run. */
  readonly finishedAt?: string
  /** Events that this run has moved. */
  readonly stored?: number
  readonly comparison?: { readonly pages: number; readonly events: number; readonly differences: readonly string[] }
}

export interface MovingScene extends AsyncDisposable {
  readonly installation: Installation
  readonly cluster: ClickHouseCluster
  /** Of the new servers. */
  readonly environment: Readonly<Record<string, string>>
  /** With the configuration of the new servers. */
  cli(...args: readonly string[]): Promise<CliResult>
  /** Runs `migrate-storage` to its end. */
  move(...args: readonly string[]): Promise<MoveOutcome>
  /** Runs `migrate-storage` with other variables than those of the new servers. */
  moveWith(changes: Readonly<Record<string, string>>): Promise<CliResult>
  /** Kills `migrate-storage` after the time, unless it has ended before: then this is its exit code. */
  killMove(afterMs: number): Promise<number | null>
  startNew(): Promise<ServerProcess>
}

type MoveJson = Omit<MoveOutcome, 'exitCode' | 'stderr'>

export async function openMovingScene(): Promise<MovingScene> {
  const resources = new AsyncDisposableStack()
  const folder = resources.use(openTemporaryFolder())
  // Before the databases take the processors.
  const installation = resources.use(await openInstallation())
  const postgres = await startPostgres({ settings: { fsync: 'off' } }, resources)
  const client = await postgres.connect()
  await client.query(`CREATE DATABASE ${DATABASE}`)
  await client.end()
  const cluster = resources.use(await startCluster())
  const { urls, user, password, database, cluster: name = '' } = await cluster.createDatabase()
  const environment = {
    ENVELOG_STORAGE: 'clickhouse',
    ENVELOG_CLICKHOUSE_URL: urls.join(','),
    ENVELOG_CLICKHOUSE_USER: user,
    ENVELOG_CLICKHOUSE_PASSWORD: password,
    ENVELOG_CLICKHOUSE_DATABASE: database,
    ENVELOG_CLICKHOUSE_CLUSTER: name,
    ENVELOG_POSTGRES_URL: postgres.url(DATABASE),
    ENVELOG_SPF_INCLUDE: 'spf.operator.test',
  }
  const dataDir = join(folder.path, 'new')
  const env = { ...environment, ENVELOG_DATA_DIR: dataDir }
  const cli = (...args: readonly string[]) => runCli(args, { cwd: folder.path, env })
  const { exitCode, stderr } = await cli('migrate')
  assert.equal(exitCode, 0, stderr)
  const command = ['migrate-storage', '--from', 'sqlite', '--to', 'clickhouse', '--folder', installation.dataDir]
  const args = [...command, '--pages', String(PAGES)]
  return {
    installation,
    cluster,
    environment,
    cli,
    async move(...more) {
      const result = await cli('--json', ...args, ...more)
      assert.notEqual(result.stdout, '', result.stderr)
      return { exitCode: result.exitCode, stderr: result.stderr, ...(JSON.parse(result.stdout) as MoveJson) }
    },
    moveWith: (changes) => runCli(args, { cwd: folder.path, env: { ...env, ...changes } }),
    async killMove(afterMs) {
      const child = spawn(LAUNCHER, args, { cwd: folder.path, env: { ...cleanEnvironment(), ...env }, stdio: 'ignore' })
      const ended = once(child, 'exit')
      await Promise.race([delay(afterMs), ended])
      child.kill('SIGKILL')
      const [code] = (await ended) as [number | null]
      return code
    },
    startNew: () => serveProcess({ dataDir, env: { ENVELOG_LOG_LEVEL: 'warn', ...environment } }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
