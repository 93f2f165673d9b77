/** Runs the work of one command around an opened service and prints its outcome, for people or as one JSON object. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { readEnvironment } from '../config/read-environment.ts'
import { EXIT, type ExitCode } from '../describe-failure.ts'
import { AppError } from '../lib/app-error.ts'
import { openService, type Service } from '../open-service.ts'
import { CONTROL_FILE } from '../storage/sqlite/control/control-database.ts'
import { PROGRAM } from './help.ts'

/** What a command has to say when it is done. Commands print nothing else to stdout. */
export interface Outcome {
  readonly json: object
  /** Bytes are written as they are, text with a line end. */
  readonly text: string | Uint8Array
  readonly exitCode?: ExitCode
}

export interface CommandRunner {
  withConfig(work: (config: Config) => Promise<Outcome>): Promise<void>
  /** Opens the data folder, whether or not a server runs on it, and closes it afterwards. */
  withService(work: (service: Service) => Promise<Outcome>): Promise<void>
  /** The same for commands that start from what is kept: where nothing is, they refuse and leave no folder behind. */
  withData(work: (service: Service) => Promise<Outcome>): Promise<void>
}

export function createCommandRunner(isJson: () => boolean): CommandRunner {
  const withConfig: CommandRunner['withConfig'] = async (work) => {
    print(await work(loadConfig(readEnvironment())), isJson())
  }
  return {
    withConfig,
    withService: (work) => withConfig((config) => runOpened(config, work)),
    withData: (work) =>
      withConfig((config) => {
        requireData(config)
        return runOpened(config, work)
      }),
  }
}

async function runOpened(config: Config, work: (service: Service) => Promise<Outcome>): Promise<Outcome> {
  const service = await openService(config)
  try {
    return await work(service)
  } finally {
    await service.close()
  }
}

/** Most often the command was typed in another folder than the server's. */
function requireData({ dataDir }: Config): void {
  if (!isMissing(join(dataDir, CONTROL_FILE))) return
  throw new AppError(
    'not_found',
    `The data folder ${resolve(dataDir)} holds no data yet. If the data is elsewhere, set ENVELOG_DATA_DIR to that folder; to begin here: ${PROGRAM} tenant create NAME`,
  )
}

/** A path that cannot be looked into is not missing: opening it says what is wrong with it. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

function print(outcome: Outcome, isJson: boolean): void {
  const text = isJson ? JSON.stringify(outcome.json) : outcome.text
  process.stdout.write(typeof text !== 'string' ? text : text === '' ? '' : `${text}\n`)
  process.exitCode = outcome.exitCode ?? EXIT.ok
}
