/** Runs a program to its end and returns what it printed; throws if it fails; it prints its own errors. */
import { spawnSync } from 'node:child_process'

export function runProgram(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 2 ** 20,
  })
  if (status === 0) return stdout
  process.stderr.write(stdout ?? '')
  throw new Error(error?.message ?? `${program} ${args.join(' ')} failed`)
}
