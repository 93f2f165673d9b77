/** `tenant create`: a customer of the operator. */
import type { Command } from 'commander'
import { createTenant } from '../tenants/create-tenant.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM, quoteForShell } from './help.ts'

export function addTenantCreate(parent: Command, runner: CommandRunner): void {
  parent
    .command('create')
    .description('Register a tenant: somebody who owns sender domains and reads their logs.')
    .argument('<name>', 'the name that other commands know it by')
    .addHelpText('after', examples('tenant create Acme'))
    .action((name: string) =>
      runner.withService(async ({ storage, clock }) => {
        const tenant = await createTenant({ keys: storage.keys, clock }, name)
        const typed = quoteForShell(tenant.name)
        return {
          json: { id: tenant.id, clientId: tenant.clientId, name: tenant.name },
          text: [
            `Created tenant ${tenant.name} (client id ${tenant.clientId}).`,
            '',
            'Next, a domain to send from, a key to read with, and one to feed events in with:',
            `  ${PROGRAM} domain add example.com --tenant ${typed} --active`,
            `  ${PROGRAM} key create --tenant ${typed}`,
            `  ${PROGRAM} key create --operator --scope ingest`,
          ].join('\n'),
        }
      }),
    )
}
