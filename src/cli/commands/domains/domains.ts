/** `domain`: sender domains, added, listed, activated and verified; their DKIM keys are in dkim-keys.ts. */
import type { AdminDomainDetail } from '../../../http/v1/administration/domains/domains.wire.ts'
import { AppError } from '../../../lib/app-error.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import type { CommandGroup, CommandSpec, Context } from '../../command/command.ts'
import { DOMAIN_REMOVAL } from '../../removal/domain-commands.ts'
import { formatTable } from '../../text/text-table.ts'
import { DKIM_KEY_COMMANDS } from './dkim-keys.ts'
import { domainPath, ifNoDomain } from './domain-path.ts'
import { describeRecordsToPublish, toDomainJson } from './domain-text.ts'
import { verify } from './domain-verify.ts'

const PAGE = 1000

interface AddOptions {
  readonly tenant?: string
  readonly active?: boolean
  readonly description?: string
  readonly sendingEmail?: string
}

const add: CommandSpec = {
  name: 'add',
  description: 'Add a sender domain to a tenant, create its DKIM key and show the DNS records to publish.',
  // Checked here and not by the parser, which reports only one missing value at a time.
  usage: '<name> --tenant <tenant> [options]',
  arguments: [['[name]', 'the domain, such as example.com']],
  options: [
    ['--tenant <tenant>', 'the tenant that owns it'],
    ['--active', 'activate it at once; otherwise it cannot be verified before domain activate'],
    ['--description <text>', 'a note of your own'],
    ['--sending-email <address>', 'its sending address (default: postmaster@<name>)'],
  ],
  examples: ['domain add example.com --tenant Acme --active'],
  async run({ client, program }, name: string | undefined, options: AddOptions) {
    const body = { ...requireBoth(name, options.tenant), ...options }
    const domain = await client.request<AdminDomainDetail>('POST', '/v1/admin/domains', { body })
    return {
      json: toDomainJson(domain),
      text: [
        `Added ${domain.name} (id ${domain.id}): ${domain.active ? 'active' : 'not active'}, not verified.`,
        '',
        'Publish these DNS records:',
        describeRecordsToPublish(domain.records),
        '',
        'Then:',
        ...(domain.active ? [] : [`  ${program} domain activate ${domain.name}`]),
        `  ${program} domain verify ${domain.name}`,
        `Export the private DKIM key for the mail server with: ${program} domain export-key ${domain.name}`,
      ].join('\n'),
    }
  },
}

function requireBoth(name: string | undefined, tenant: string | undefined) {
  if (name !== undefined && tenant !== undefined) return { name, tenant }
  const missing = [
    ...(name === undefined ? ["The domain's name"] : []),
    ...(tenant === undefined ? ['--tenant NAME'] : []),
  ]
  throw new AppError(
    'invalid_request',
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing, as in: ${PROGRAM} domain add example.com --tenant Acme`,
  )
}

const list: CommandSpec = {
  name: 'list',
  description:
    'List sender domains, sorted by name. A domain that a tenant added is proven once its records were verified for the first time.',
  options: [['--tenant <name>', 'only those of this tenant']],
  examples: ['domain list', 'domain list --tenant Acme --json'],
  async run({ client, program }, { tenant }: { readonly tenant?: string }) {
    const domains = await listAll(client, tenant)
    return {
      json: { domains: domains.map(toDomainJson), count: domains.length },
      text: formatTable(
        ['NAME', 'TENANT', 'ACTIVE', 'PROVEN', 'APPROVED', 'VERIFIED', 'LAST CHECK', 'ID'],
        domains.map((domain) => [
          domain.name,
          domain.tenant.name,
          yesOrNo(domain.active),
          yesOrNo(domain.proven),
          yesOrNo(domain.verified),
          yesOrNo(domain.verified),
          domain.lastCheckAt ?? 'never',
          domain.id,
        ]),
        `No domains yet. Add one with: ${program} domain add NAME --tenant TENANT`,
      ),
    }
  },
}

async function listAll(client: Context['client'], tenant: string | undefined): Promise<readonly AdminDomainDetail[]> {
  const domains: AdminDomainDetail[] = []
  for (;;) {
    const query = { tenant, details: true, skip: domains.length, take: PAGE }
    const page = await client.request<{ readonly domains: readonly AdminDomainDetail[] }>('GET', '/v1/admin/domains', {
      query,
    })
    domains.push(...page.domains)
    if (page.domains.length < PAGE) return domains
  }
}

function yesOrNo(flag: boolean): string {
  return flag ? 'yes' : 'no'
}

const activate: CommandSpec = {
  name: 'activate',
  description: 'Activate a domain, so that it can be verified. Activating it twice changes nothing.',
  arguments: [['<name>', 'the domain']],
  examples: ['domain activate example.com'],
  async run({ client, program }, name: string) {
    const options = { ifMissing: ifNoDomain(name) }
    const domain = await client.request<AdminDomainDetail>('POST', `${domainPath(name)}/activate`, options)
    return {
      json: toDomainJson(domain),
      text: `${domain.name} is active. Check its DNS records with: ${program} domain verify ${domain.name}`,
    }
  },
}

export const DOMAIN: CommandGroup = {
  name: 'domain',
  description: 'Sender domains and their DNS records.',
  commands: [add, list, activate, verify, ...DOMAIN_REMOVAL, ...DKIM_KEY_COMMANDS],
}
