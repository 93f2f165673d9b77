/**
 * Format, lint, types and dead code (`npm run lint`), side by side: most of these programs use one processor for a part of their time.
 * What one of them prints stays together, and is printed as soon as it has ended.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '..')
const PROGRAMS = join(ROOT, 'node_modules/.bin')

/** The longest first. */
const results = await Promise.all([
  check('oxlint', ['--deny-warnings', '.']),
  check('tsc', ['-p', '.']),
  check('biome', ['check', '.']),
  check('knip'),
  check('tsc', ['-p', 'console']),
])
process.exitCode = results.every((passed) => passed) ? 0 : 1

async function check(program: string, args: readonly string[] = []): Promise<boolean> {
  const child = spawn(join(PROGRAMS, program), args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [status, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  process.stdout.write(`${[program, ...args].join(' ')}: ${status === 0 ? 'passed' : 'failed'}\n`)
  if (status !== 0) process.stdout.write(`${output.join('')}\n`)
  return status === 0
}
