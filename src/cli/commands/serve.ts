/** `serve` and `demo`: the server as `npm start` runs it, and one with generated mail traffic in a temporary folder. */
import type { CommandSpec } from '../command/command.ts'

export const SERVE: CommandSpec = {
  name: 'serve',
  description: 'Run the server until SIGTERM or SIGINT. Prints its address to stdout and its log to stderr.',
  examples: ['serve'],
  isLocal: true,
  async run({ config, isJson }) {
    // Loaded only here: the server takes longer to load than most commands take to run.
    const { greet, serve } = await import('../../main.ts')
    await serve(config, { onListening: isJson ? printAddress : greet })
    return undefined
  },
}

function printAddress(address: string): undefined {
  process.stdout.write(`${JSON.stringify({ address })}\n`)
}

export const DEMO: CommandSpec = {
  name: 'demo',
  description:
    'Run a server with a tenant, a few domains, 15 days of generated events and a flow of new ones. All data is temporary.',
  examples: ['demo'],
  isLocal: true,
  async run({ isJson }) {
    const { runDemo } = await import('../../demo/run-demo.ts')
    await runDemo({ isJson })
    return undefined
  },
}
