/** `tenant`: customers of the operator. */
import type { Tenant, Tenants } from '../../http/v1/administration/tenants.wire.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { PROGRAM, quoteForShell } from '../text/help.ts'
import { formatTable } from '../text/text-table.ts'

const create: CommandSpec = {
  name: 'create',
  description: 'Create a tenant: an owner of sender domains who reads their logs.',
  arguments: [['<name>', 'its name, as other commands refer to it']],
  examples: ['tenant create Acme'],
  async run({ client }, name: string) {
    const tenant = await client.request<Tenant>('POST', '/v1/admin/tenants', { body: { name }, mayCreate: true })
    const typed = quoteForShell(tenant.name)
    return {
      json: { id: tenant.id, clientId: tenant.clientId, name: tenant.name },
      text: [
        `Created tenant ${tenant.name} (client id ${tenant.clientId}).`,
        '',
        'Next, add a sender domain and create a read key and an ingest key:',
        `  ${PROGRAM} domain add example.com --tenant ${typed} --active`,
        `  ${PROGRAM} key create --tenant ${typed}`,
        `  ${PROGRAM} key create --operator --scope ingest`,
      ].join('\n'),
    }
  },
}

const list: CommandSpec = {
  name: 'list',
  description: 'List all tenants.',
  examples: ['tenant list', 'tenant list --json'],
  async run({ client }) {
    const { tenants } = await client.request<Tenants>('GET', '/v1/admin/tenants')
    return {
      json: { tenants },
      text: formatTable(
        ['NAME', 'CLIENT ID', 'ID', 'CREATED'],
        tenants.map(({ id, clientId, name, createdAt }) => [name, clientId, id, createdAt]),
        `No tenants yet. Create one with: ${PROGRAM} tenant create NAME`,
      ),
    }
  },
}

export const TENANT: CommandGroup = {
  name: 'tenant',
  description: 'Tenants: the owners of sender domains.',
  commands: [create, list],
}
