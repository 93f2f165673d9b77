/** The console's files for a starting server, built in a separate process if they are missing or out of date. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { BUILD_SCRIPT, currentBuildFolder, findNewestBuild } from './http/console/console-build.ts'
import { type ConsoleFiles, readConsoleFiles } from './http/console/console-files.ts'

/** Undefined if there is no build and none can be made; the server starts without a console then. */
export async function openConsole(logger: Logger): Promise<ConsoleFiles | undefined> {
  const folder = (await provideCurrentBuild(logger)) ?? findNewestBuild()
  return folder === undefined ? undefined : readConsoleFiles(folder)
}

/** A package holds a build, and neither the sources nor what builds them. */
async function provideCurrentBuild(logger: Logger): Promise<string | undefined> {
  if (!existsSync(BUILD_SCRIPT)) return undefined
  const folder = currentBuildFolder()
  if (!existsSync(folder)) await buildConsole(logger)
  return existsSync(folder) ? folder : undefined
}

/** In a separate process, so that the build tools do not stay in the server's memory. */
async function buildConsole(logger: Logger): Promise<void> {
  logger.info('building the console (first start of this version)')
  const child = spawn(process.execPath, [BUILD_SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  if (code === 0) return
  const lines = stderr.trim().split('\n')
  // Node prints its own version as the last line of an uncaught error.
  const reason = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
  logger.warn({ reason }, 'the console could not be built; run `npm ci` and `npm run build` for details')
}
