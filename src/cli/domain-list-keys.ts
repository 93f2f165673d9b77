/** `domain list-keys`: which DKIM keys a domain has, and how far each of them is. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { describeKeys, toKeysJson } from './domain-keys.ts'
import { examples } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

export function addDomainListKeys(parent: Command, runner: CommandRunner): void {
  parent
    .command('list-keys')
    .description('List the DKIM keys of a domain: next, current or previous, and what the last check saw of each.')
    .argument('<name>', 'the domain')
    .addHelpText('after', examples('domain list-keys example.com'))
    .action((name: string) =>
      runner.withData(async (service) => {
        const domain = await requireNamedDomain(service, name)
        return { json: toKeysJson(domain), text: describeKeys(domain) }
      }),
    )
}
