/** `setup`: a tenant, its first sender domain and the keys to read and to send, in one step. */
import type { AdminDomainDetail } from '../../http/v1/administration/domains/domains.wire.ts'
import type { CreatedKey } from '../../http/v1/administration/keys.wire.ts'
import type { Tenants } from '../../http/v1/administration/tenants.wire.ts'
import type { CommandSpec, Context } from '../command/command.ts'
import { printable } from '../text/printable.ts'
import { describeRecordsToPublish } from './domains/domain-text.ts'

export const SETUP: CommandSpec = {
  name: 'setup',
  description:
    'Create a tenant, an active sender domain, a key to read its log and a key to send its events: everything that a first event needs.',
  arguments: [['<domain>', 'the sender domain, such as example.com']],
  options: [['--tenant <name>', "the tenant's name (default: the name of the domain); an existing tenant is used"]],
  help: `Prints the keys as two lines for a shell, KEY=… and INGEST_KEY=…. Printed to a file or pipe, the output is these lines alone; the
explanation goes to stderr. A domain that exists already is refused, and no key is created.`,
  examples: ['setup example.com --tenant Acme', 'setup example.com > keys && . ./keys'],
  async run({ client, program }, name: string, { tenant: wanted = name }: { readonly tenant?: string }) {
    const tenant = await provideTenant(client, wanted)
    const domain = await client.request<AdminDomainDetail>('POST', '/v1/admin/domains', {
      body: { name, tenant, active: true },
    })
    const createKey = (body: object) => client.request<CreatedKey>('POST', '/v1/admin/keys', { body })
    const { key } = await createKey({ tenant, name: 'setup: reads the log' })
    const { key: ingestKey } = await createKey({ tenant, name: 'setup: sends events', scopes: ['ingest'] })
    return {
      json: { tenant, domain: { id: domain.id, name: domain.name }, key, ingestKey },
      text: `KEY=${key}\nINGEST_KEY=${ingestKey}`,
      explanation: [
        `Created ${domain.name} of tenant ${printable(tenant)} with two keys: KEY reads the log and signs in to the console, INGEST_KEY`,
        'sends events of this tenant. Save them now: only their hashes are stored, so they cannot be shown again.',
        '',
        'Before real mail is sent, publish these DNS records:',
        describeRecordsToPublish(domain.records),
        `and check them with: ${program} domain verify ${domain.name}`,
      ].join('\n'),
    }
  },
}

async function provideTenant(client: Context['client'], wanted: string): Promise<string> {
  const name = wanted.normalize('NFC')
  const { tenants } = await client.request<Tenants>('GET', '/v1/admin/tenants', { mayCreate: true })
  if (!tenants.some((tenant) => tenant.name === name)) {
    await client.request('POST', '/v1/admin/tenants', { body: { name } })
  }
  return name
}
