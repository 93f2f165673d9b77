/** `domain activate` */
import type { Command } from 'commander'
import { activateDomain } from '../domains/registration/activate-domain.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'
import { toDomainJson } from './wire-mappers.ts'

export function addDomainActivate(parent: Command, runner: CommandRunner): void {
  parent
    .command('activate')
    .description('Let a domain be verified. Activating an active domain changes nothing.')
    .argument('<name>', 'the domain')
    .addHelpText('after', examples('domain activate example.com'))
    .action((name: string) =>
      runner.withData(async (service) => {
        const { storage, clock } = service
        const found = await requireNamedDomain(service, name)
        const domain = await activateDomain({ domains: storage.domains, clock }, found.name)
        return {
          json: await toDomainJson(domain),
          text: `${domain.name} is active. Check its DNS records with: ${PROGRAM} domain verify ${domain.name}`,
        }
      }),
    )
}
