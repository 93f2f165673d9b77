/** Servers that tests need, installed from Debian's packages if possible. */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

export interface MissingServer {
  readonly name: string
  readonly reason: string
}

/** The packages of two mail servers conflict. One of them is unpacked here instead of installed. */
const UNPACKED_FOLDER = '/opt/envelog-tests'
const UNPACKED_PACKAGES: readonly string[] = ['exim4-daemon-light']

export const EXIM_PROGRAM = `${UNPACKED_FOLDER}/exim4-daemon-light/usr/sbin/exim4`

/** The program of each package; there may be several versions. */
const PROGRAM_OF_PACKAGE: Readonly<Record<string, string>> = {
  'clickhouse-server': '/usr/sbin/clickhouse-server',
  'exim4-daemon-light': EXIM_PROGRAM,
  iproute2: '/usr/sbin/ip',
  'libc6-dev': '/usr/include/stdio.h',
  nsd: '/usr/sbin/nsd',
  postfix: '/usr/sbin/postfix',
  prometheus: '/usr/bin/promtool',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  'python3-yaml': '/usr/lib/python3/dist-packages/yaml/__init__.py',
  systemd: '/usr/bin/systemd-analyze',
  unbound: '/usr/sbin/unbound',
  zookeeper: '/usr/share/java/zookeeper.jar',
}

/** Installs missing packages; returns those that could not be installed, with the reason. */
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
  const reasons = wanted.map((name) => (UNPACKED_PACKAGES.includes(name) ? unpack(name, env) : install([name], env)))
  return wanted.flatMap((name, index) => (isInstalled(name) ? [] : [{ name, reason: reasons[index] ?? '' }]))
}

/** Returns the last line of stderr. Never removes an installed package, such as another mail server. */
function install(packages: readonly string[], env: NodeJS.ProcessEnv): string {
  const args = ['install', '-y', '-qq', '--no-install-recommends', '--no-remove', ...packages]
  return lastLine(spawnSync('apt-get', args, { env, encoding: 'utf8' }))
}

/** Unpacks the program itself, and installs the libraries that it needs. */
function unpack(name: string, env: NodeJS.ProcessEnv): string {
  const folder = join(UNPACKED_FOLDER, name)
  mkdirSync(folder, { recursive: true })
  const download = spawnSync('apt-get', ['download', '-qq', name], { cwd: folder, env, encoding: 'utf8' })
  const [file] = globSync('*.deb', { cwd: folder })
  if (file === undefined) return lastLine(download)
  const depends = spawnSync('dpkg-deb', ['-f', file, 'Depends'], { cwd: folder, encoding: 'utf8' }).stdout
  const libraries = depends.split(',').flatMap((part) => /^\s*(lib[a-z0-9.+-]+)/.exec(part)?.[1] ?? [])
  const words = install(libraries, env)
  return lastLine(spawnSync('dpkg-deb', ['-x', file, '.'], { cwd: folder, encoding: 'utf8' })) || words
}

function lastLine({ stderr }: { readonly stderr: string }): string {
  return stderr.trim().split('\n').at(-1) ?? ''
}

function isInstalled(name: string): boolean {
  const program = PROGRAM_OF_PACKAGE[name]
  if (program !== undefined) return globSync(program).length > 0
  return spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0
}
