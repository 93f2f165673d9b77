/** Servers that the tests talk to, installed from Debian's packages where that is possible. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

export interface MissingServer {
  readonly name: string
  readonly reason: string
}

/** Where a package puts its program; several versions of one may be there. */
const PROGRAM_OF_PACKAGE: Readonly<Record<string, string>> = {
  nsd: '/usr/sbin/nsd',
  postfix: '/usr/sbin/postfix',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  unbound: '/usr/sbin/unbound',
}

/** Installs what is missing; returns what could not be had, with the reason. */
export function installServers(packages: readonly string[]): readonly MissingServer[] {
  const wanted = packages.filter((name) => !isInstalled(name))
  if (wanted.length === 0) return []
  if (process.getuid?.() !== 0)
    return wanted.map((name) => ({ name, reason: `not root: sudo apt-get install ${name}` }))
  if (spawnSync('apt-get', ['--version']).status !== 0)
    return wanted.map((name) => ({ name, reason: 'no apt-get here' }))
  process.stdout.write(`installing ${wanted.join(', ')}\n`)
  // Without this, packages start their service at once, on the usual port.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  spawnSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' })
  const installed = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], {
    env,
    encoding: 'utf8',
  })
  const reason = installed.stderr.trim().split('\n').at(-1) ?? ''
  return wanted.filter((name) => !isInstalled(name)).map((name) => ({ name, reason }))
}

function isInstalled(name: string): boolean {
  const program = PROGRAM_OF_PACKAGE[name]
  if (program !== undefined) return globSync(program).length > 0
  return spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0
}
