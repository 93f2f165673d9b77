/** `serve`: the server, as `npm start` runs it. */
import type { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { readEnvironment } from '../config/read-environment.ts'
import { examples } from './help.ts'

export function addServe(parent: Command, isJson: () => boolean): void {
  parent
    .command('serve')
    .description('Run the server until it gets SIGTERM or SIGINT. Prints its address on stdout and its log on stderr.')
    .addHelpText('after', examples('serve'))
    .action(async () => {
      // Loaded only here: the HTTP layer takes longer to load than most commands take to run.
      const { greet, serve } = await import('../main.ts')
      await serve(loadConfig(readEnvironment()), { onListening: isJson() ? printJson : greet })
    })
}

function printJson(address: string): undefined {
  process.stdout.write(`${JSON.stringify({ address })}\n`)
}
