/** The real server as a process, on a free port and, by default, a data folder that is deleted with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { SERVER_MODULE } from './program-files.ts'

const ROOT = join(import.meta.dirname, '../../..')
const START_TIMEOUT_MS = 180_000

export interface ServeProcessOptions {
  /** Default: this Node. */
  readonly program?: string
  /** Its arguments; default: the server. */
  readonly args?: readonly string[]
  /** Before the command, such as a program that enters a namespace and becomes the server. */
  readonly prefix?: readonly string[]
  /** Gets stderr; `logs` is then empty. */
  readonly logFile?: string
  /** Not deleted if given. */
  readonly dataDir?: string
  /** Additional ENVELOG_ variables. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ServerProcess extends AsyncDisposable {
  /** Such as http://127.0.0.1:41234 */
  readonly address: string
  readonly pid: number
  readonly dataDir: string
  /** Everything on stderr so far: one JSON object per line. */
  logs(): string
  stdout(): string
  /** Only sends; see `exited`. */
  signal(signal: NodeJS.Signals): void
  /** The exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>
  /** Sends SIGTERM and resolves with the exit code; does nothing if it has already ended. */
  stop(): Promise<number | null>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

/** Resolves when GET /healthz answers 200. Rejects with the server's stderr if it ends before. */
export async function serveProcess(options: ServeProcessOptions = {}): Promise<ServerProcess> {
  const folder = openTemporaryFolder()
  const dataDir = options.dataDir ?? join(folder.path, 'data')
  const { prefix = [], logFile } = options
  const [program = '', ...args] = [...prefix, options.program ?? process.execPath, ...(options.args ?? [SERVER_MODULE])]
  const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const child = spawn(program, args, {
    // An empty folder, so that a developer's .env has no effect on tests.
    cwd: folder.path,
    env: { ...cleanEnvironment(), ENVELOG_PORT: '0', ENVELOG_DATA_DIR: dataDir, ...options.env },
    stdio: ['ignore', 'pipe', log],
  })
  if (log !== 'pipe') closeSync(log)
  // It must not outlive a process that ends without stopping it.
  const killAtExit = () => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  const output = collect(child)
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
  const stop = async () => {
    child.kill('SIGTERM')
    const code = await exited
    folder[Symbol.dispose]()
    return code
  }
  try {
    const address = await findAddress(child, output)
    const health = await fetch(`${address}/healthz`)
    if (health.status !== 200) throw new Error(`/healthz answered ${health.status}`)
    return {
      address,
      pid: child.pid ?? 0,
      dataDir,
      logs: () => output.stderr,
      stdout: () => output.stdout,
      signal: (signal) => void child.kill(signal),
      exited,
      stop,
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
      async [Symbol.asyncDispose]() {
        await stop()
      },
    }
  } catch (error) {
    await stop()
    const written = logFile === undefined ? output.stderr : readFileSync(logFile, 'utf8').slice(-2000)
    throw new Error(`the server did not start: ${written}`, { cause: error })
  }
}

/** Without the developer's variables, and with a compile cache shared between starts. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('ENVELOG_') && !name.startsWith('NODE_'),
  )
  return { ...Object.fromEntries(others), NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/envelog') }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return output
}

async function findAddress(child: ChildProcess, output: { stdout: string }): Promise<string> {
  const signal = AbortSignal.any([AbortSignal.timeout(START_TIMEOUT_MS), abortedWhenClosed(child)])
  for (;;) {
    const [, address] = /(?:listens on |"address":")([^\s"]+)[\n"]/.exec(output.stdout) ?? []
    if (address !== undefined) return address
    if (child.stdout) await once(child.stdout, 'data', { signal })
  }
}

function abortedWhenClosed(child: ChildProcess): AbortSignal {
  const ended = new AbortController()
  child.once('close', () => ended.abort(new Error('it ended')))
  return ended.signal
}
