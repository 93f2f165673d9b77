/** `config check`: what is in force, without starting anything. */
import type { Command } from 'commander'
import { listConfigWarnings } from '../config/load-config.ts'
import { OPTION_LIST, type Option } from '../config/options.ts'
import { originOf, readEnvironment } from '../config/read-environment.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { formatTable } from './text-table.ts'

export function addConfigCheck(parent: Command, runner: CommandRunner): void {
  parent
    .command('check')
    .description(
      'Check the configuration and show what is in force. Exit code 2 and every problem when it cannot be used.',
    )
    .addHelpText('after', examples('config check', 'config check --json'))
    .action(() =>
      runner.withConfig(async (config) => {
        const env = readEnvironment()
        const options = OPTION_LIST.map(([, option]) => {
          const shown = { name: option.env, ...inForce(option, env[option.env]?.trim()) }
          return { ...shown, from: shown.isDefault ? 'default' : originOf(shown.name) }
        })
        const warnings = listConfigWarnings(config)
        return {
          json: { ok: true, options: Object.fromEntries(options.map(({ name, ...rest }) => [name, rest])), warnings },
          text: [
            formatTable(
              ['OPTION', 'VALUE', 'FROM'],
              options.map(({ name, value, from }) => [name, value ?? '(unset)', from]),
              '',
            ),
            '',
            ...warnings.map((warning) => `Warning: ${warning}`),
            'The configuration is usable.',
          ].join('\n'),
        }
      }),
    )
}

function inForce(option: Option<unknown>, text: string | undefined): { value: string | null; isDefault: boolean } {
  if (text === undefined || text === '') return { value: option.default ?? null, isDefault: true }
  return { value: option.secret ? '(secret)' : text, isDefault: false }
}
