/** A name server program as a process on a free port of loopback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { askServer } from '../../../src/dns/exchange/ask-server.ts'
import { findFreePort } from '../free-port.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

export interface DnsDaemon extends AsyncDisposable {
  /** `127.0.0.1:port` */
  readonly address: string
  readonly folder: string
  signal(signal: NodeJS.Signals): void
}

export interface DnsDaemonOptions {
  readonly program: string
  /** Writes the configuration into the folder; returns the arguments that make the program read it and stay in front. */
  readonly configure: (folder: string, port: number) => readonly string[]
  /** A name for which it has an answer once it is ready. */
  readonly readyName: string
}

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000
/** A port that was free may be taken by the time the program binds it. */
const START_ATTEMPTS = 3

export async function openDnsDaemon(options: DnsDaemonOptions): Promise<DnsDaemon> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startDnsDaemon(options)
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

async function startDnsDaemon({ program, configure, readyName }: DnsDaemonOptions): Promise<DnsDaemon> {
  const folder = openTemporaryFolder()
  const port = await findFreePort()
  const child = spawn(program, configure(folder.path, port), { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = once(child, 'exit')
  // It must not outlive a test file that ends without closing it.
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.on('exit', killAtExit)
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(impatience)
    process.off('exit', killAtExit)
    folder[Symbol.dispose]()
  }
  try {
    await untilReady(child, port, readyName)
  } catch (error) {
    await close()
    throw new Error(`${program} did not start: ${output}`, { cause: error })
  }
  return {
    address: `127.0.0.1:${port}`,
    folder: folder.path,
    signal: (signal) => void child.kill(signal),
    [Symbol.asyncDispose]: close,
  }
}

/** Queries it until it answers: a program that is still starting refuses the packet, or loses it. */
async function untilReady(child: ChildProcess, port: number, name: string): Promise<void> {
  const giveUp = AbortSignal.timeout(START_TIMEOUT_MS)
  const question = { name, type: 'SOA', isRecursive: true } as const
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`)
    const reply = await askServer({ address: '127.0.0.1', port }, question, 200, giveUp)
    if (reply.kind === 'message') return
    giveUp.throwIfAborted()
  }
}
