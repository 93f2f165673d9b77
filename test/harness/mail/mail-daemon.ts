/** A mail server program that a test kills and starts again, and that never outlives the test. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { answersAt } from '../free-port.ts'
import { eventually } from '../programs/tail-process.ts'

export interface MailDaemon extends AsyncDisposable {
  /** Resolves when it greets clients. */
  start(): Promise<void>
  /** Ends all of its processes with SIGKILL. */
  kill(): Promise<void>
  /** Its output so far. */
  output(): string
}

export interface MailDaemonOptions {
  readonly name: string
  readonly port: number
  readonly spawn: () => ChildProcess
  /** Default: only the program itself gets SIGKILL. */
  readonly killAll?: (child: ChildProcess) => void
}

/** Started already. */
export async function openMailDaemon(options: MailDaemonOptions): Promise<MailDaemon> {
  const { name, port, spawn, killAll = (child) => void child.kill('SIGKILL') } = options
  let running: { readonly child: ChildProcess; readonly closed: Promise<unknown> } | undefined
  let output = ''
  const killNow = () => {
    if (running) killAll(running.child)
  }
  // It must not outlive a test file that ends without closing it.
  process.on('exit', killNow)

  const daemon: MailDaemon = {
    output: () => output,
    async start() {
      const child = spawn()
      running = { child, closed: once(child, 'close') }
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      }
      await eventually(async () => {
        if (child.exitCode !== null) throw new Error(`${name} has ended: ${output.slice(-2000)}`)
        return (await answersAt(port)) ? undefined : `${name} does not listen: ${output.slice(-2000)}`
      })
    },
    async kill() {
      killNow()
      await running?.closed
      running = undefined
    },
    async [Symbol.asyncDispose]() {
      await daemon.kill()
      process.off('exit', killNow)
    },
  }
  try {
    await daemon.start()
  } catch (error) {
    await daemon[Symbol.asyncDispose]()
    throw error
  }
  return daemon
}
