/** A real PostgreSQL from the system's packages, in a temporary folder, with a socket there and no port. */
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

const USER = 'envelog'
/** Waits until the process that started it has ended, however that ended; then stops the server and deletes its folder. */
const GUARD = 'read _; "$1" stop -D "$2" -m immediate; rm -rf "$3"'
/** Not a pipe, which the server would inherit and keep open. */
const OUTPUT = ['ignore', 'ignore', 'inherit'] as const

export interface Postgres {
  readonly version: string
  readonly folder: string
  /** Address of the database with this name. */
  url(database: string): string
  connect(): Promise<pg.Client>
  /** Does nothing if the server is stopped already. */
  stop(): void
  /** Without a checkpoint, as after a crash; the settings stay. */
  restartImmediately(): void
}

export interface PostgresOptions {
  readonly isKept?: boolean
  /** Settings of the server that differ from the default. */
  readonly settings: Readonly<Record<string, string>>
}

/** Stopped, and its folder removed unless it is kept, when the resources are disposed of. */
export async function startPostgres(
  { isKept = false, settings }: PostgresOptions,
  resources: AsyncDisposableStack,
): Promise<Postgres> {
  const programs = findPrograms()
  const owner = findOwner()
  const folder = mkdtempSync(join(tmpdir(), 'envelog-postgres-'))
  const cluster = join(folder, 'cluster')
  if (!isKept) {
    const args = ['-c', GUARD, 'guard', join(programs, 'pg_ctl'), cluster, folder]
    const guard = spawn('sh', args, { ...owner, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    guard.unref()
    resources.defer(() => void guard.stdin.end())
    resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  }
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const log = join(folder, 'log')
  const run = (program: string, args: readonly string[]) => {
    const { status, error } = spawnSync(join(programs, program), args, { ...owner, cwd: folder, stdio: [...OUTPUT] })
    if (status !== 0) throw new Error(`${program} failed, see ${log} (--keep)`, { cause: error })
  }
  run('initdb', ['-D', cluster, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'])
  const given = Object.entries({ listen_addresses: '', ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  const stop = () => {
    if (existsSync(join(cluster, 'postmaster.pid'))) run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast'])
  }
  resources.defer(stop)
  run('pg_ctl', ['start', '-D', cluster, '-l', log, '-o', `-k ${folder} ${given.join(' ')}`])
  const { stdout } = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' })
  const url = (database: string) => `postgres://${USER}@/${database}?host=${encodeURIComponent(folder)}`
  const restartImmediately = () => run('pg_ctl', ['restart', '-D', cluster, '-l', log, '-m', 'immediate'])
  return { version: stdout.trim(), folder, url, connect: () => connectTo(folder), stop, restartImmediately }
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
