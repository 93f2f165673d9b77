/** A data folder with a tenant, two sender domains and keys, for several servers one after the other. */
import { join } from 'node:path'
import { loadConfig } from '../../../src/config/load-config.ts'
import { addDomain } from '../../../src/domains/registration/add-domain.ts'
import { openService } from '../../../src/open-service.ts'
import { createKey } from '../../../src/tenants/create-key.ts'
import { createTenant } from '../../../src/tenants/create-tenant.ts'
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
  const keys = await makeFolder(dataDir, domains)
  return {
    dataDir,
    domains,
    ...keys,
    cli,
    start: (env = {}) => serveProcess({ dataDir, env: { ENVELOG_LOG_LEVEL: 'warn', ...SETTINGS, ...env } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** In this process: as five commands, it would take longer than most tests that need it. */
async function makeFolder(dataDir: string, domains: readonly string[]) {
  const umask = process.umask()
  const service = await openService(loadConfig({ ENVELOG_DATA_DIR: dataDir, ...SETTINGS }))
  try {
    const { clock, config, dkimSealer: sealer, storage } = service
    const deps = { ...storage.control, clock, sealer, spfInclude: config.spfInclude }
    await createTenant(deps, 'acme')
    for (const name of domains) await addDomain(deps, { name, tenantName: 'acme', isActive: true })
    const { key: tenantKey } = await createKey(deps, { tenantName: 'acme' })
    const { key: ingestKey } = await createKey(deps, 'operator', ['ingest'])
    return { tenantKey, ingestKey }
  } finally {
    await service.close()
    // The service has changed it for the whole process.
    process.umask(umask)
  }
}
