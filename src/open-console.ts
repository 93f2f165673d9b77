/** The console's files for a server that starts: built by a process of its own where they are missing or out of date. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { BUILD_SCRIPT, currentBuildFolder, findNewestBuild } from './http/console/console-build.ts'
import { type ConsoleFiles, readConsoleFiles } from './http/console/console-files.ts'

/** Undefined where there is none and none can be built, which is no reason not to start. */
export async function openConsole(logger: Logger): Promise<ConsoleFiles | undefined> {
  const folder = currentBuildFolder()
  if (!existsSync(folder)) await buildConsole(logger)
  if (existsSync(folder)) return readConsoleFiles(folder)
  const older = findNewestBuild()
  return older === undefined ? undefined : readConsoleFiles(older)
}

/** In a process of its own: what a build loads, a server does not want in its memory. */
async function buildConsole(logger: Logger): Promise<void> {
  logger.info('building the console, once')
  const child = spawn(process.execPath, [BUILD_SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  if (code === 0) return
  const lines = stderr.trim().split('\n')
  // Node ends what it says about an error with the version of itself.
  const reason = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
  logger.warn({ reason }, 'the console could not be built; try `npm ci` and `npm run build`, which says more')
}
