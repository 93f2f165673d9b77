/** A data folder with a tenant, two sender domains and keys, created with the command line, for several servers one after the other. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { type CliResult, runCli } from './run-cli.ts'
import { type ServerProcess, serveProcess } from './server-process.ts'

export interface Installation extends Disposable {
  readonly dataDir: string
  readonly domains: readonly [string, string]
  /** Has every tenant scope. */
  readonly tenantKey: string
  readonly ingestKey: string
  start(env?: Readonly<Record<string, string>>): Promise<ServerProcess>
  cli(...args: readonly string[]): Promise<CliResult>
}

export interface InstallationOptions {
  /** Where the data folder is created and not deleted; default: a temporary folder. */
  readonly parent?: string
}

/** For the server and the command line; while a server runs, its own configuration counts. */
const SETTINGS = { ENVELOG_SPF_INCLUDE: 'spf.operator.test' }

export async function openInstallation({ parent }: InstallationOptions = {}): Promise<Installation> {
  const folder = openTemporaryFolder()
  const dataDir = join(parent ?? folder.path, 'data')
  const domains = ['acme.test', 'news.acme.test'] as const
  const cli = (...args: readonly string[]) =>
    runCli(args, { cwd: folder.path, env: { ENVELOG_DATA_DIR: dataDir, ...SETTINGS } })
  const make = async (...args: readonly string[]): Promise<{ readonly key?: string }> => {
    const { exitCode, stdout, stderr } = await cli('--json', ...args)
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout) as { key?: string }
  }
  await make('tenant', 'create', 'acme')
  const [tenant, operator] = await Promise.all([
    make('key', 'create', '--tenant', 'acme'),
    make('key', 'create', '--operator', '--scope', 'ingest'),
    ...domains.map((name) => make('domain', 'add', name, '--tenant', 'acme', '--active')),
  ])
  return {
    dataDir,
    domains,
    tenantKey: tenant.key ?? '',
    ingestKey: operator.key ?? '',
    cli,
    start: (env = {}) => serveProcess({ dataDir, env: { ENVELOG_LOG_LEVEL: 'warn', ...SETTINGS, ...env } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
