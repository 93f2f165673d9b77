/** bin/envelog tail as a process that runs until it is stopped or killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { LAUNCHER } from './program-files.ts'
import { cleanEnvironment } from './server-process.ts'

export interface TailProcess extends AsyncDisposable {
  /** Sends SIGTERM and resolves with its stdout. */
  stop(): Promise<string>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  stderr(): string
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
}

export interface TailProcessOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export function startTail(args: readonly string[], { cwd, env }: TailProcessOptions): TailProcess {
  const child = spawn(LAUNCHER, ['--json', 'tail', ...args], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const closed = once(child, 'close')
  // It must not outlive a test file that ends without closing it.
  const killAtExit = () => void child.kill('SIGKILL')
  process.on('exit', killAtExit)
  void closed.then(() => process.off('exit', killAtExit))
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null) child.kill(signal)
    await closed
  }
  return {
    async stop() {
      await end('SIGTERM')
      return stdout
    },
    kill: () => end('SIGKILL'),
    stderr: () => stderr,
    ended: closed,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}

/** Polls until `describe` finds no problem; rejects with the last problem after the timeout. */
export async function eventually(describe: () => Promise<string | undefined>, timeoutMs = 150_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const problem = await describe()
    if (problem === undefined) return
    if (performance.now() > deadlineMs) throw new Error(problem)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
