/** The SQLite engine in the laboratory: an installation is a data folder. */
import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCli } from '../../harness/programs/run-cli.ts'
import { serveProcess } from '../../harness/programs/server-process.ts'
import { type Engine, type Keys, type Site, TENANTS } from './engine.ts'

const SETTINGS = { ENVELOG_SPF_INCLUDE: 'spf.operator.test', ENVELOG_LOG_LEVEL: 'warn' }

export const sqliteEngine: Engine = {
  name: 'sqlite',
  withoutKinds: new Set(),
  async install(folder) {
    const site = openSite(folder, { ingest: '', tenants: new Map() })
    const make = async (...args: readonly string[]): Promise<{ readonly key?: string }> => {
      const { exitCode, stdout, stderr } = await site.cli('--json', ...args)
      assert.equal(exitCode, 0, stderr)
      return JSON.parse(stdout) as { key?: string }
    }
    const tenants = new Map<string, string>()
    for (const { name, domains } of TENANTS) {
      const [first = '', ...others] = domains
      // The tenant, its key and its first domain by one command: each takes as long as a start of the program.
      tenants.set(name, (await make('setup', first, '--tenant', name)).key ?? '')
      for (const domain of others) await make('domain', 'add', domain, '--tenant', name, '--active')
    }
    const { key: ingest = '' } = await make('key', 'create', '--operator', '--scope', 'ingest')
    return openSite(folder, { ingest, tenants })
  },
  async copy({ dataDir, keys }, folder) {
    cpSync(dataDir, join(folder, 'data'), { recursive: true })
    // Otherwise the server warns of a folder that others can read.
    chmodSync(join(folder, 'data'), 0o700)
    return openSite(folder, keys)
  },
  async restore({ keys }, backup, folder) {
    const site = openSite(folder, keys)
    const { exitCode, stderr } = await site.cli('restore', backup)
    assert.equal(exitCode, 0, stderr)
    return site
  },
}

function openSite(folder: string, keys: Keys): Site {
  const dataDir = join(folder, 'data')
  const events = join(dataDir, 'events')
  const cli: Site['cli'] = (...args) => runCli(args, { cwd: folder, env: { ENVELOG_DATA_DIR: dataDir, ...SETTINGS } })
  return {
    keys,
    dataDir,
    start: ({ env = {} } = {}) => serveProcess({ dataDir, env: { ...SETTINGS, ...env } }),
    cli,
    files: {
      control: join(dataDir, 'control.db'),
      async listSetAside() {
        const { stdout } = await cli('--json', 'days', 'list')
        const { setAside } = JSON.parse(stdout) as { setAside: readonly { readonly day: string }[] }
        return setAside.map(({ day }) => day)
      },
      async repair(day) {
        const { exitCode, stdout, stderr } = await cli('--json', 'repair', day)
        assert(exitCode === 0 || exitCode === 1, stderr)
        return (JSON.parse(stdout) as { lost: number }).lost
      },
      days: () =>
        (existsSync(events) ? readdirSync(events) : [])
          .filter((name) => /^\d{4}-\d\d-\d\d\.db$/.test(name))
          .toSorted()
          .map((name) => ({ day: name.slice(0, -3), path: join(events, name) })),
    },
  }
}
