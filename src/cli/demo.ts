/** `demo`: a server full of made-up mail, in a folder that is thrown away. */
import type { Command } from 'commander'
import { examples } from './help.ts'

export function addDemo(parent: Command, isJson: () => boolean): void {
  parent
    .command('demo')
    .description(
      'Run a server with a tenant, a few domains and 15 days of made-up events; more keep coming. Keeps nothing.',
    )
    .addHelpText('after', examples('demo'))
    .action(async () => {
      const { runDemo } = await import('../demo/run-demo.ts')
      await runDemo({ isJson: isJson() })
    })
}
