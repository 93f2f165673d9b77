/** A server as a process of its own, with the settings of `npm start`, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const PRODUCT = join(ROOT, 'src/main.ts')
/** As `npm start` sets them: the cache of compiled code, and the number of heaps that threads share. */
const START_ENVIRONMENT = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/envelog'), MALLOC_ARENA_MAX: '2' }
const NODE_OPTIONS = readStartScript().filter((word) => word.startsWith('--'))
/** The unit in which /proc counts processor time. */
const TICKS_PER_SECOND = 100

export interface ServerOptions {
  readonly dataDir: string
  readonly logFile: string
  /** A program with its arguments; by default, the product's own server. */
  readonly program?: readonly [string, ...string[]]
  readonly environment?: Readonly<Record<string, string>>
}

export interface ServerProcess extends AsyncDisposable {
  readonly address: string
  /** From the start of the process to the first response of /healthz. */
  readonly startMs: number
  residentBytes(): number
  /** Processor time of all its threads so far. */
  processorMs(): number
  stop(): Promise<void>
}

export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const { dataDir, logFile, program = [PRODUCT], environment } = options
  const log = openSync(logFile, 'a')
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...program], {
    cwd: dataDir,
    env: {
      ...withoutOwnVariables(),
      ...START_ENVIRONMENT,
      ...environment,
      ENVELOG_PORT: '0',
      ENVELOG_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  // The server must not outlive this process, even if that ends while the server starts.
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  const stop = () => stopProcess(child)
  try {
    const address = await readAddress(child)
    const { status } = await fetch(`${address}/healthz`)
    if (status !== 200) throw new Error(`/healthz answered ${status}`)
    const startMs = performance.now() - startedAt
    const pid = child.pid ?? 0
    return {
      address,
      startMs,
      residentBytes: () => readResidentBytes(pid),
      processorMs: () => readProcessorMs(pid),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw new Error(`the server did not start: ${readFileSync(logFile, 'utf8').slice(-2000)}`, { cause: error })
  }
}

/** Settings of the caller's shell must not affect the measurement. */
function withoutOwnVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ENVELOG_')))
}

async function readAddress(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += String(chunk)
    const [, address] = /listens on (\S+)\n/.exec(output) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`it ended with the output ${JSON.stringify(output)}`)
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function readResidentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1024
}

/** Fields 14 and 15 of proc_pid_stat(5), counted after the name, which ends with the last bracket. */
function readProcessorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

function readStartScript(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  return scripts.start.split(' ')
}
