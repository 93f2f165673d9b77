/** `tenant`: customers of the operator. */
import { InvalidArgumentError, Option } from 'commander'
import type { Tenant, Tenants } from '../../http/v1/administration/tenants.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { known } from '../../lib/known.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { QUOTA_MAX } from '../../tenants/limits/quotas.ts'
import { RETENTION_DAYS_MAX } from '../../tenants/tenant.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { TENANT_REMOVAL } from '../removal/tenant-commands.ts'
import { quoteForShell } from '../text/help.ts'
import { printable } from '../text/printable.ts'
import { formatTable } from '../text/text-table.ts'
import { findTenant, tenantPath } from './find-tenant.ts'

const NONE = 'none'
type Quota = number | typeof NONE

interface QuotaOptions {
  readonly maxDomains?: Quota
  readonly maxKeys?: Quota
  readonly maxEventsPerDay?: Quota
  readonly retentionDays?: Quota
}

const QUOTA_OPTIONS = [
  ['--max-domains <number>', 'how many domains it may have'],
  ['--max-keys <number>', 'how many keys it may have that are neither revoked nor expired'],
  ['--max-events-per-day <number>', 'how many of its events are stored in one UTC day'],
].map(([flags = '', description]) => new Option(flags, `${description}; ${NONE}: no quota`).argParser(parseQuota))

const RETENTION_OPTION = new Option(
  '--retention-days <number>',
  `remove its events after this many days; ${NONE}: only by ENVELOG_RETENTION`,
).argParser((text: string): Quota => {
  const days = parseQuota(text)
  if (days === NONE || (days >= 1 && days <= RETENTION_DAYS_MAX)) return days
  throw new InvalidArgumentError(`It must be an integer from 1 to ${RETENTION_DAYS_MAX}, or ${NONE}.`)
})

function toRetention({ retentionDays }: QuotaOptions) {
  return retentionDays === undefined ? {} : { retentionDays: retentionDays === NONE ? null : retentionDays }
}

function parseQuota(text: string): Quota {
  if (text === NONE) return NONE
  const quota = Number(text)
  if (/^\d+$/.test(text) && quota <= QUOTA_MAX) return quota
  throw new InvalidArgumentError(`It must be an integer from 0 to ${QUOTA_MAX}, or ${NONE}.`)
}

function toQuotas({ maxDomains, maxKeys, maxEventsPerDay }: QuotaOptions) {
  const quotas = Object.entries(known({ domains: maxDomains, keys: maxKeys, eventsPerDay: maxEventsPerDay }))
  return Object.fromEntries(quotas.map(([name, quota]) => [name, quota === NONE ? null : quota]))
}

const create: CommandSpec = {
  name: 'create',
  description: 'Create a tenant: an owner of sender domains who reads their logs.',
  arguments: [['<name>', 'its name, as other commands refer to it']],
  options: [...QUOTA_OPTIONS, RETENTION_OPTION],
  examples: ['tenant create Acme', 'tenant create Acme --max-domains 10 --max-events-per-day 1000000'],
  async run({ client, program }, name: string, options: QuotaOptions) {
    const body = { name, quotas: toQuotas(options), ...toRetention(options) }
    const tenant = await client.request<Tenant>('POST', '/v1/admin/tenants', { body, mayCreate: true })
    const typed = quoteForShell(tenant.name)
    return {
      json: { id: tenant.id, clientId: tenant.clientId, name: tenant.name },
      text: [
        `Created tenant ${printable(tenant.name)} (client id ${tenant.clientId}).`,
        '',
        'Next, add a sender domain and create a read key and an ingest key:',
        `  ${program} domain add example.com --tenant ${typed} --active`,
        `  ${program} key create --tenant ${typed}`,
        `  ${program} key create --operator --scope ingest`,
      ].join('\n'),
    }
  },
}

const list: CommandSpec = {
  name: 'list',
  description: 'List all tenants, with what they use and their quotas.',
  examples: ['tenant list', 'tenant list --json'],
  async run({ client, program }) {
    const { tenants } = await client.request<Tenants>('GET', '/v1/admin/tenants')
    return {
      json: { tenants },
      text: formatTable(
        ['NAME', 'STATE', 'DOMAINS', 'KEYS', 'EVENTS TODAY', 'RETENTION', 'CLIENT ID', 'ID', 'CREATED'],
        tenants.map(({ id, clientId, name, createdAt, use, quotas, suspendedAt, retentionDays }) => [
          name,
          suspendedAt === null ? 'active' : 'suspended',
          describeUse(use.domains, quotas.domains),
          describeUse(use.keys, quotas.keys),
          describeUse(use.eventsToday, quotas.eventsPerDay),
          retentionDays === null ? '-' : `${retentionDays} days`,
          clientId,
          id,
          createdAt,
        ]),
        `No tenants yet. Create one with: ${program} tenant create NAME`,
      ),
    }
  },
}

function describeUse(used: number | null, quota: number | null): string {
  if (used === null) return '-'
  return quota === null ? String(used) : `${used} of ${quota}`
}

const change: CommandSpec = {
  name: 'change',
  description:
    'Change the quotas and the retention of a tenant. A quota below the current use removes nothing; it only refuses additions.',
  arguments: [['<name>', `its name, as ${PROGRAM} tenant list shows it`]],
  options: [...QUOTA_OPTIONS, RETENTION_OPTION],
  help: `Events beyond the quota of a day are refused, and nothing is lost: a request with a key of the tenant gets status 429, and
the sender retries it; records of an operator's key are quarantined, and can be replayed when the quota has been raised.
A shorter retention removes older events of the tenant within an hour or so, in whole UTC days. Their counts stay.`,
  examples: [
    'tenant change Acme --retention-days 30',
    'tenant change Acme --max-events-per-day 2000000',
    `tenant change Acme --max-domains ${NONE}`,
  ],
  async run(context, name: string, options: QuotaOptions) {
    const quotas = toQuotas(options)
    if (Object.keys(options).length === 0) {
      throw new AppError(
        'invalid_request',
        'Give what to change: --max-domains, --max-keys, --max-events-per-day, --retention-days.',
      )
    }
    const { id } = await findTenant(context, name)
    const body = { quotas, ...toRetention(options) }
    const tenant = await context.client.request<Tenant>('POST', tenantPath(id), { body })
    const { domains, keys, eventsPerDay } = tenant.quotas
    const rows = [
      ['domains', domains] as const,
      ['keys', keys] as const,
      ['events a day', eventsPerDay] as const,
      ['retention days', tenant.retentionDays] as const,
    ]
    return {
      json: { id: tenant.id, name: tenant.name, quotas: tenant.quotas, retentionDays: tenant.retentionDays },
      text: [
        `The quotas of ${printable(tenant.name)} are now:`,
        ...rows.map(([what, quota]) => `  ${what}: ${quota ?? NONE}`),
      ].join('\n'),
    }
  },
}

export const TENANT: CommandGroup = {
  name: 'tenant',
  description: 'Tenants: the owners of sender domains.',
  commands: [create, list, change, ...TENANT_REMOVAL],
}
