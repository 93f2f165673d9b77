/** `tail exim`: follows Exim's main log. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { addLogOptions, followLog, type LogFlags } from './tail/log-command.ts'
import { TAIL_HELP } from './tail/tail-command.ts'

export function addTailExim(parent: Command, runner: CommandRunner): void {
  const command = parent
    .command('exim')
    .description("Follow Exim's main log, rotated files included.")
    .argument('<file>', 'the log, such as /var/log/exim4/mainlog; - for stdin')
    .option('--host <name>', "the mail server's name, which ids are made with (this machine's when left out)")
  addLogOptions(command)
    .addHelpText(
      'after',
      `\n${TAIL_HELP}\n${examples('tail exim /var/log/exim4/mainlog', 'tail exim mainlog.2 --once --host mx1')}`,
    )
    .action((file: string, flags: LogFlags) => followLog(runner, 'exim', file, flags))
}
