/** Runs the work of one command around an opened service and prints its outcome, for people or as one JSON object. */
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { readEnvironment } from '../config/read-environment.ts'
import { EXIT, type ExitCode } from '../describe-failure.ts'
import { openService, type Service } from '../open-service.ts'

/** What a command has to say when it is done. Commands print nothing else to stdout. */
export interface Outcome {
  readonly json: object
  readonly text: string
  readonly exitCode?: ExitCode
}

export interface CommandRunner {
  withConfig(work: (config: Config) => Promise<Outcome>): Promise<void>
  /** Opens the data folder, whether or not a server runs on it, and closes it afterwards. */
  withService(work: (service: Service) => Promise<Outcome>): Promise<void>
}

export function createCommandRunner(isJson: () => boolean): CommandRunner {
  const withConfig: CommandRunner['withConfig'] = async (work) => {
    print(await work(loadConfig(readEnvironment())), isJson())
  }
  return {
    withConfig,
    withService: (work) =>
      withConfig(async (config) => {
        const service = await openService(config)
        try {
          return await work(service)
        } finally {
          await service.close()
        }
      }),
  }
}

function print(outcome: Outcome, isJson: boolean): void {
  const text = isJson ? JSON.stringify(outcome.json) : outcome.text
  process.stdout.write(text === '' ? '' : `${text}\n`)
  process.exitCode = outcome.exitCode ?? EXIT.ok
}
