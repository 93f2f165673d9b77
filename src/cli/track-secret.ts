/** `track secret`: what mail servers need to put pixels and links into messages themselves. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'

export function addTrackSecret(parent: Command, runner: CommandRunner): void {
  parent
    .command('secret')
    .description('Print the secret that signs the addresses of pixels and links, for mail servers that make them.')
    .addHelpText('after', examples('track secret > envelog-tracking.secret'))
    .action(() =>
      runner.withData(async ({ trackingSecret }) => {
        const secret = trackingSecret.toString('base64url')
        process.stderr.write(
          'Warning: whoever has this secret can make up opens and clicks, and links that lead from your name to anywhere.\n',
        )
        return { json: { secret }, text: secret }
      }),
    )
}
