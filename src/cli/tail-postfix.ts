/** `tail postfix`: follows Postfix's log. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { addLogOptions, followLog, type LogFlags } from './tail/log-command.ts'
import { TAIL_HELP } from './tail/tail-command.ts'

export function addTailPostfix(parent: Command, runner: CommandRunner): void {
  const command = parent
    .command('postfix')
    .description("Follow Postfix's log, rotated files included.")
    .argument('<file>', 'the log, such as /var/log/mail.log; - for stdin')
  addLogOptions(command)
    .addHelpText(
      'after',
      `\n${TAIL_HELP}\n${examples('tail postfix /var/log/mail.log', 'tail postfix old-mail.log --once')}`,
    )
    .action((file: string, flags: LogFlags) => followLog(runner, 'postfix', file, flags))
}
