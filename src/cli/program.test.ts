import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { optionsHelp } from '../config/describe-options.ts'
import { PROGRAM } from '../lib/program-name.ts'
import { createProgram } from './program.ts'

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

/** As --help prints it, including the text after the options. */
function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  return help
}

const program = createProgram('1.2.3')

describe('the help of', () => {
  for (const command of leavesOf(program)) {
    test(`${pathOf(command)} says what it does, names --json and shows an example that starts with it`, () => {
      const help = helpOf(command)
      assert.match(command.description(), /^[A-Z].*\.$/)
      assert.match(help, /--json/)
      const [, shown = ''] = help.split(/Examples?:\n/)
      assert.ok(shown.includes(`  ${pathOf(command)}`), help)
    })
  }

  test('the program lists every configuration variable', () => {
    assert.ok(helpOf(program).includes(optionsHelp()))
  })
})

test('the commands are those that people script against', () => {
  const paths = leavesOf(program).map((command) => pathOf(command).replace(`${PROGRAM} `, ''))
  assert.deepEqual(paths.toSorted(), [
    'audit export',
    'audit list',
    'backup',
    'config check',
    'days accept',
    'days adopt',
    'days list',
    'demo',
    'dns check',
    'domain activate',
    'domain add',
    'domain deactivate',
    'domain export-key',
    'domain list',
    'domain list-keys',
    'domain promote-key',
    'domain remove',
    'domain retire-key',
    'domain rotate-key',
    'domain verify',
    'erase',
    'import',
    'key change',
    'key create',
    'key list',
    'key revoke',
    'migrate',
    'migrate-storage',
    'recount',
    'rejected drop',
    'rejected list',
    'rejected replay',
    'removal list',
    'removal show',
    'repair',
    'restore',
    'retention run',
    'retention status',
    'return-path',
    'secret forget',
    'secret list',
    'secret rotate',
    'serve',
    'setup',
    'tail exim',
    'tail kumomta',
    'tail postfix',
    'tail powermta',
    'tenant change',
    'tenant create',
    'tenant delete',
    'tenant list',
    'tenant resume',
    'tenant suspend',
    'track rewrite',
    'track secret',
    'upgrade check',
  ])
})
