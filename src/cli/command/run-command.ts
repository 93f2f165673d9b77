/** Adds a command to the program, and runs it: configuration, client, work, output. */
import { Argument, type Command, Option } from 'commander'
import { loadConfig } from '../../config/load-config.ts'
import { readEnvironment } from '../../config/read-environment.ts'
import { EXIT } from '../../describe-failure.ts'
import { AppError } from '../../lib/app-error.ts'
import { openClient, type ServerAddress } from '../client/open-client.ts'
import { examples, programFor } from '../text/help.ts'
import type { CommandSpec, Outcome } from './command.ts'

export interface GlobalOptions extends ServerAddress {
  readonly json?: boolean
}

export function addCommand(parent: Command, spec: CommandSpec, globals: () => GlobalOptions): void {
  const command = parent.command(spec.name).description(spec.description)
  if (spec.usage !== undefined) command.usage(spec.usage)
  for (const item of spec.arguments ?? []) {
    command.addArgument(item instanceof Argument ? item : new Argument(...item))
  }
  for (const item of spec.options ?? []) command.addOption(item instanceof Option ? item : new Option(...item))
  const help = spec.help === undefined ? '' : `\n${spec.help}\n`
  command.addHelpText('after', `${help}${examples(...spec.examples)}`)
  // Commander adds the command itself as the last value.
  command.action((...values: unknown[]) => runCommand(spec, globals(), values.slice(0, -1)))
}

async function runCommand(spec: CommandSpec, globals: GlobalOptions, values: readonly unknown[]): Promise<void> {
  const isJson = globals.json === true
  const outcome = await work()
  if (outcome) print(outcome, isJson)

  async function work(): Promise<Outcome | undefined> {
    const config = loadConfig(readEnvironment())
    if (spec.isLocal && globals.url !== undefined) {
      throw new AppError('invalid_request', `--url does not apply to ${spec.name}: it runs on this machine.`)
    }
    await using client = openClient(config, globals)
    return await spec.run({ config, client, isJson, program: programFor(globals) }, ...(values as never[]))
  }
}

function print({ json, text, explanation, warnings = [], exitCode = EXIT.ok }: Outcome, isJson: boolean): void {
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
  const output = isJson ? JSON.stringify(json) : text
  process.stdout.write(typeof output !== 'string' ? output : output === '' ? '' : `${output}\n`)
  if (explanation !== undefined && !isJson) {
    const stream = process.stdout.isTTY ? process.stdout : process.stderr
    stream.write(`\n${explanation}\n`)
  }
  process.exitCode = exitCode
}
