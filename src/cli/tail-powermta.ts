/** `tail powermta`: follows PowerMTA's accounting files. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { DatedFeed } from './tail/dated-feed.ts'
import { addLogOptions, followLog, type LogFlags } from './tail/log-command.ts'
import { TAIL_HELP } from './tail/tail-command.ts'

export function addTailPowermta(parent: Command, runner: CommandRunner): void {
  const command = parent
    .command('powermta')
    .description("Follow PowerMTA's accounting files, one after the other.")
    .argument('<file>', 'as <acct-file> names it, without the date that PowerMTA adds; - for stdin')
  addLogOptions(command)
    .addHelpText(
      'after',
      `\n${TAIL_HELP}\n${examples('tail powermta /var/log/pmta/acct.csv', 'tail powermta /var/log/pmta/acct.csv --once')}`,
    )
    .action((file: string, flags: LogFlags) =>
      followLog(runner, 'powermta', file, flags, (...args) => new DatedFeed(...args)),
    )
}
