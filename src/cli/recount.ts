/** `recount`: proves the statistics by counting the events again. */
import type { Command } from 'commander'
import { EXIT } from '../describe-failure.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'

export function addRecount(parent: Command, runner: CommandRunner): void {
  parent
    .command('recount')
    .description('Count all events again and compare with the statistics. Exit code 1 when they differ.')
    .addHelpText('after', examples('recount'))
    .action(() =>
      runner.withData(async ({ storage }) => {
        const differences = await storage.recount()
        return {
          json: { ok: differences.length === 0, differences },
          text:
            differences.length === 0
              ? 'Every counter is right.'
              : ['The counters differ from the events:', ...differences.map((line) => `  ${line}`)].join('\n'),
          exitCode: differences.length === 0 ? EXIT.ok : EXIT.failed,
        }
      }),
    )
}
