/** `config check`: the configuration in force, without starting anything. */
import { listConfigWarnings } from '../../config/load-config.ts'
import { OPTION_LIST } from '../../config/options.ts'
import { originOf, readEnvironment } from '../../config/read-environment.ts'
import { showValue } from '../../config/value-types.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { formatTable } from '../text/text-table.ts'

const check: CommandSpec = {
  name: 'check',
  description:
    'Check the configuration and show the effective values. If it is invalid: exit code 2, and every problem.',
  examples: ['config check', 'config check --json'],
  isLocal: true,
  async run({ config }) {
    const env = readEnvironment()
    const options = OPTION_LIST.map((option) => {
      const text = env[option.env]?.trim() || undefined
      const isDefault = text === undefined
      const value = isDefault ? (option.default ?? null) : (showValue(option.type, text) ?? '(hidden)')
      return { name: option.env, value, isDefault, from: isDefault ? 'default' : originOf(option.env) }
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
        'The configuration is valid.',
      ].join('\n'),
    }
  },
}

export const CONFIG: CommandGroup = { name: 'config', description: 'The configuration.', commands: [check] }
