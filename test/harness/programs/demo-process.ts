/** `bin/envelog demo` as a process: a server with generated mail traffic, and its keys. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { LAUNCHER } from './program-files.ts'
import { cleanEnvironment } from './server-process.ts'

export interface DemoProcess extends AsyncDisposable {
  readonly address: string
  /** The tenant's; has every scope. */
  readonly key: string
  readonly ingestKey: string
  readonly adminKey: string
  /** GET with the tenant's key; throws unless the answer is 200. */
  get<T>(path: string): Promise<T>
}

const LOG_KEPT = 4000

export async function openDemo(): Promise<DemoProcess> {
  const folder = openTemporaryFolder()
  const child = spawn(LAUNCHER, ['demo', '--json'], {
    cwd: folder.path,
    env: { ...cleanEnvironment(), ENVELOG_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log = (log + chunk).slice(-LOG_KEPT)
  })
  // Otherwise a test would only see that nobody listens.
  let isStopping = false
  child.once('exit', (code, signal) => {
    if (!isStopping) process.stderr.write(`the demo has ended by itself (${code ?? signal}):\n${log}\n`)
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit')
  let written = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    written += String(chunk)
    if (written.includes('\n')) break
  }
  const printed = JSON.parse(written) as Omit<DemoProcess, 'get'>
  return {
    ...printed,
    async get<T>(path: string) {
      const response = await fetch(`${printed.address}${path}`, { headers: { authorization: printed.key } })
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
      return (await response.json()) as T
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      child.kill('SIGTERM')
      await ended
      process.off('exit', kill)
      folder[Symbol.dispose]()
    },
  }
}
