/** An installation of several servers on ClickHouse and PostgreSQL, created with the command line: a tenant, two domains, keys. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { ClickHouseOptions } from '../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { type ClickHouseCluster, type ClusterLayout, startCluster } from '../storage/clickhouse/cluster.ts'
import { PostgresDatabases } from '../storage/postgres-databases.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { type CliResult, runCli } from './run-cli.ts'
import { type ServerProcess, serveProcess } from './server-process.ts'

export interface SeveralServers extends AsyncDisposable {
  readonly servers: readonly ServerProcess[]
  readonly cluster: ClickHouseCluster
  readonly postgres: PostgresDatabases
  readonly postgresUrl: string
  readonly domains: readonly [string, string]
  /** Has every tenant scope. */
  readonly tenantKey: string
  readonly ingestKey: string
  readonly adminKey: string
  /** Variables of every server and command. */
  readonly env: Readonly<Record<string, string>>
  /** One more server, with a data folder of its own. `prefix`: before its command. */
  start(env?: Readonly<Record<string, string>>, dataDir?: string, prefix?: readonly string[]): Promise<ServerProcess>
  /** As on a machine where no server runs. */
  cli(...args: readonly string[]): Promise<CliResult>
}

export interface SeveralServersOptions {
  readonly layout?: ClusterLayout
  /** Default: 3. */
  readonly servers?: number
  readonly env?: Readonly<Record<string, string>>
}

const DOMAINS = ['acme.test', 'news.acme.test'] as const

export async function openSeveralServers(options: SeveralServersOptions = {}): Promise<SeveralServers> {
  const resources = new AsyncDisposableStack()
  try {
    return await openInto(resources, options)
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

async function openInto(
  resources: AsyncDisposableStack,
  { layout, servers: count = 3, env: extra = {} }: SeveralServersOptions,
): Promise<SeveralServers> {
  const folder = resources.use(openTemporaryFolder())
  const postgres = resources.use(await PostgresDatabases.start())
  const cluster = resources.use(await startCluster(layout))
  const postgresUrl = await postgres.create({ isMigrated: false })
  const env = { ...toEnvironment(postgresUrl, await cluster.createDatabase()), ...extra }
  const cli = (...args: readonly string[]) => runCli(args, { cwd: folder.path, env })
  const migrated = await cli('migrate')
  assert.equal(migrated.exitCode, 0, migrated.stderr)
  let started = 0
  const start: SeveralServers['start'] = async (
    changes = {},
    dataDir = join(folder.path, `server-${++started}`),
    prefix = [],
  ) => resources.use(await serveProcess({ dataDir, prefix, env: { ENVELOG_LOG_LEVEL: 'warn', ...env, ...changes } }))
  // The first one alone: it may have to build the console.
  const first = await start()
  const servers = [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => start())))]
  // Through the socket of a server, which takes less time.
  const local = { ...env, ENVELOG_DATA_DIR: first.dataDir }
  const make = async (...args: readonly string[]): Promise<{ readonly key?: string }> => {
    const { exitCode, stdout, stderr } = await runCli(['--json', ...args], { cwd: folder.path, env: local })
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout) as { key?: string }
  }
  await make('tenant', 'create', 'acme')
  const [tenant, ingest, admin] = await Promise.all([
    make('key', 'create', '--tenant', 'acme'),
    make('key', 'create', '--operator', '--scope', 'ingest'),
    make('key', 'create', '--operator', '--scope', 'admin'),
    ...DOMAINS.map((domain) => make('domain', 'add', domain, '--tenant', 'acme', '--active')),
  ])
  return {
    servers,
    cluster,
    postgres,
    postgresUrl,
    domains: DOMAINS,
    tenantKey: tenant.key ?? '',
    ingestKey: ingest.key ?? '',
    adminKey: admin.key ?? '',
    env,
    start,
    cli,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Variables of a server on these databases. */
export function toEnvironment(postgresUrl: string, options: ClickHouseOptions): Record<string, string> {
  const { urls, user, password, database, cluster } = options
  return {
    ENVELOG_STORAGE: 'clickhouse',
    ENVELOG_POSTGRES_URL: postgresUrl,
    ENVELOG_CLICKHOUSE_URL: urls.join(','),
    ENVELOG_CLICKHOUSE_USER: user,
    ENVELOG_CLICKHOUSE_PASSWORD: password,
    ENVELOG_CLICKHOUSE_DATABASE: database,
    ENVELOG_SPF_INCLUDE: 'spf.operator.test',
    ...(cluster !== undefined && { ENVELOG_CLICKHOUSE_CLUSTER: cluster }),
  }
}
