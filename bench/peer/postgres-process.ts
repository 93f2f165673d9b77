/** A real PostgreSQL from the system's packages: its own folder, its own user, a socket in that folder and no port. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, globSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Every setting that differs from the default. None of them makes it slower. */
export const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '2GB',
  synchronous_commit: 'on',
  effective_cache_size: '6GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  // Fewer checkpoints: each one makes the log carry whole pages again.
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  // The disk is no spinning one.
  random_page_cost: '1.1',
  // Compiling takes longer than any of these queries.
  jit: 'off',
  listen_addresses: '',
}

const USER = 'bench'
const START_TIMEOUT_MS = 60_000

export interface Postgres {
  readonly version: string
  readonly folder: string
  connect(): Promise<pg.Client>
  /** Ends it politely; what has ended already stays ended. */
  stop(): Promise<void>
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
  runToEnd(
    join(programs, 'initdb'),
    ['-D', cluster, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
    owner,
  )
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(join(folder, 'log'), 'w')
  const server = spawn(join(programs, 'postgres'), ['-D', cluster, '-k', folder, ...settings], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const stop = () => stopProcess(server)
  resources.defer(stop)
  const connect = async () => {
    const client = new pg.Client({ host: folder, user: USER, database: 'postgres' })
    // A connection that breaks is reported by the query that was using it.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  await waitUntilItAnswers(server, connect, folder)
  return {
    version: spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim(),
    folder,
    connect,
    stop,
  }
}

function findPrograms(): string {
  const [newest] = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a))
  if (newest === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  return newest
}

function versionOf(programs: string): number {
  return Number(programs.split('/').at(-2))
}

/** PostgreSQL refuses to run as root; its package has made a user for it. */
function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN),
  )
  if (uid === undefined || gid === undefined || Number.isNaN(uid + gid)) throw new Error('there is no user postgres')
  return { uid, gid }
}

function runToEnd(program: string, args: readonly string[], owner: object | undefined): void {
  const { status, stderr, error } = spawnSync(program, args, { ...owner, encoding: 'utf8', cwd: tmpdir() })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`, { cause: error })
}

async function waitUntilItAnswers(
  server: ChildProcess,
  connect: () => Promise<pg.Client>,
  folder: string,
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      await (await connect()).end()
      return
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended at once, see ${folder}/log`, { cause: error })
      if (performance.now() > deadline) throw new Error('PostgreSQL does not answer', { cause: error })
      await sleep(100)
    }
  }
}

/** SIGINT asks for a fast shutdown: open connections are closed, everything is written. */
async function stopProcess(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGINT')
  await ended
}
