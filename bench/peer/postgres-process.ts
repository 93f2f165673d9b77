/** A real PostgreSQL from the system's packages, in a temporary folder, with a socket there and no port. */
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** Every setting that differs from the default. None of them makes it slower. */
export const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '2GB',
  synchronous_commit: 'on',
  effective_cache_size: '6GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  // Fewer checkpoints: after each one, the write-ahead log carries whole pages again.
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  // Random reads of an SSD cost little more than sequential ones.
  random_page_cost: '1.1',
  // Compiling takes longer than any of these queries.
  jit: 'off',
  listen_addresses: '',
}

const USER = 'bench'
/** Not a pipe, which the server would inherit and keep open. */
const OUTPUT = ['ignore', 'ignore', 'inherit'] as const

export interface Postgres {
  readonly version: string
  readonly folder: string
  connect(): Promise<pg.Client>
  /** Does nothing if the server is stopped already. */
  stop(): void
}

/** Stopped, and its folder removed unless it is kept, when the resources are disposed of. */
export async function startPostgres(
  { isKept }: { readonly isKept: boolean },
  resources: AsyncDisposableStack,
): Promise<Postgres> {
  const programs = findPrograms()
  const owner = findOwner()
  const folder = mkdtempSync(join(tmpdir(), 'envelog-bench-postgres-'))
  if (!isKept) resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const cluster = join(folder, 'cluster')
  const log = join(folder, 'log')
  const run = (program: string, args: readonly string[]) => {
    const { status, error } = spawnSync(join(programs, program), args, { ...owner, cwd: folder, stdio: [...OUTPUT] })
    if (status !== 0) throw new Error(`${program} failed, see ${log} (--keep)`, { cause: error })
  }
  run('initdb', ['-D', cluster, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'])
  const settings = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const stop = () => {
    if (existsSync(join(cluster, 'postmaster.pid'))) run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast'])
  }
  resources.defer(stop)
  run('pg_ctl', ['start', '-D', cluster, '-l', log, '-o', `-k ${folder} ${settings.join(' ')}`])
  const { stdout } = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' })
  return { version: stdout.trim(), folder, connect: () => connectTo(folder), stop }
}

/** The folder is that of the server's socket. */
export async function connectTo(folder: string): Promise<pg.Client> {
  const client = new pg.Client({ host: folder, user: USER, database: 'postgres' })
  // A connection that breaks is reported by the query that was using it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

function findPrograms(): string {
  const [newest] = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a))
  if (newest === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  return newest
}

function versionOf(programs: string): number {
  return Number(programs.split('/').at(-2))
}

/** PostgreSQL refuses to run as root; its package creates a user for it. */
function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN),
  )
  if (uid === undefined || gid === undefined || Number.isNaN(uid + gid)) throw new Error('there is no user postgres')
  return { uid, gid }
}
