/** `tenant list` */
import type { Command } from 'commander'
import { toIsoTime } from '../lib/clock.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { formatTable } from './text-table.ts'

export function addTenantList(parent: Command, runner: CommandRunner): void {
  parent
    .command('list')
    .description('List all tenants.')
    .addHelpText('after', examples('tenant list', 'tenant list --json'))
    .action(() =>
      runner.withData(async ({ storage }) => {
        const tenants = await storage.keys.listTenants()
        return {
          json: {
            tenants: tenants.map(({ id, clientId, name, createdAtMs }) => ({
              id,
              clientId,
              name,
              createdAt: toIsoTime(createdAtMs),
            })),
          },
          text: formatTable(
            ['NAME', 'CLIENT ID', 'ID', 'CREATED'],
            tenants.map(({ id, clientId, name, createdAtMs }) => [name, clientId, id, toIsoTime(createdAtMs)]),
            `There are no tenants yet. Create one with: ${PROGRAM} tenant create NAME`,
          ),
        }
      }),
    )
}
