/** `tail kumomta`: follows the folder of KumoMTA's log segments. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { SegmentFeed } from './tail/segment-feed.ts'
import { addTailOptions, followSource, TAIL_HELP, type TailFlags } from './tail/tail-command.ts'

export function addTailKumomta(parent: Command, runner: CommandRunner): void {
  const command = parent
    .command('kumomta')
    .description("Follow the folder of KumoMTA's log segments (configure_local_logs), growing and finished ones.")
    .argument('<folder>', 'the log_dir of KumoMTA')
  addTailOptions(command)
    .addHelpText(
      'after',
      `\n${TAIL_HELP}\n${examples('tail kumomta /var/log/kumomta', 'tail kumomta /var/log/kumomta --once')}`,
    )
    .action((folder: string, flags: TailFlags) =>
      followSource(runner, flags, {
        dialect: 'kumomta',
        source: resolve(folder),
        connector: 'kumomta',
        openFeed: (checkpoint, report) => new SegmentFeed(resolve(folder), checkpoint, report),
        // Each line is a record as it is.
        openInterpreter: () => ({ interpret: (lines) => ({ records: lines, changes: [] }) }),
      }),
    )
}
