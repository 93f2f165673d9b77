/** bin/envelog as a process, run to its end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { LAUNCHER } from './program-files.ts'
import { cleanEnvironment } from './server-process.ts'

export interface CliOptions {
  /** The current folder; unless `env` says otherwise the data folder is `data` in it. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  readonly launcher?: string
}

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { cwd, env, input, launcher = LAUNCHER } = options
  const child = spawn(launcher, args, { cwd, env: { ...cleanEnvironment(), ...env } })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { exitCode, stdout, stderr }
}
