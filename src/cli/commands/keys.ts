/** `key`: API keys of tenants and of the operator. */
import { Option } from 'commander'
import type { ApiKey, ApiKeys, CreatedKey } from '../../http/v1/administration/keys.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { known } from '../../lib/known.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { parseApiKey } from '../../tenants/api-key.ts'
import { OPERATOR_SCOPES, TENANT_ADDS_DOMAINS, TENANT_INGEST, TENANT_SCOPES } from '../../tenants/scope.ts'
import { append, type CommandGroup, type CommandSpec, type Context } from '../command/command.ts'
import { printable } from '../text/printable.ts'
import { formatTable } from '../text/text-table.ts'

interface LimitOptions {
  readonly name?: string
  readonly expires?: string
  readonly network?: readonly string[]
}

interface CreateOptions extends LimitOptions {
  readonly tenant?: string
  readonly operator?: boolean
  readonly scope?: readonly string[]
  readonly like?: string
}

const NEVER = 'never'
const ANY = 'any'

const LIMIT_OPTIONS = [
  ['--name <text>', 'a name to recognize it by'],
  ['--expires <when>', `when it expires: a duration such as 90d, a time such as 2027-01-31T12:00:00Z, or ${NEVER}`],
  new Option(
    '--network <network>',
    `where it may be used, repeatable: an address or CIDR block such as 10.0.0.0/8; ${ANY}: everywhere`,
  ).argParser(append),
] as const

/** As the API has them. */
function toLimits({ name, expires, network }: LimitOptions) {
  const isAnywhere = network?.length === 1 && network[0] === ANY
  return { name, expires: expires === NEVER ? null : expires, networks: isAnywhere ? [] : network }
}

const create: CommandSpec = {
  name: 'create',
  description:
    "Create an API key: a tenant's, to read its own data or to send its events, or an operator's, to send events or to administer.",
  options: [
    ['--tenant <name>', 'the tenant that owns the key'],
    ['--operator', "create an operator's key"],
    new Option(
      '--scope <scope>',
      `what the key may do, repeatable; tenants: ${TENANT_SCOPES.join(', ')} (default: these three), ${TENANT_ADDS_DOMAINS}, or only ${TENANT_INGEST}; operator: ${OPERATOR_SCOPES.join(', ')}`,
    ).argParser(append),
    ...LIMIT_OPTIONS,
    ['--like <id>', 'copy the owner, scopes, name, networks and validity period of this key, to replace it'],
  ],
  help: `The scope ${TENANT_INGEST} of a tenant's key sends events of the tenant's own domains. The scope read shows the mail of all
tenants and the administration without secrets. Printed to a file or pipe, the output is the key alone; the explanation goes to
stderr.`,
  examples: [
    'key create --tenant Acme --name "billing, read only" --scope logs --scope domainStats',
    'key create --tenant Acme --scope ingest --network 192.0.2.0/24',
    'key create --operator --scope ingest --expires 365d > ingest.key',
    'key create --like 4fTq0ZbX81Lc',
  ],
  async run({ client, program }, { tenant, operator = false, scope: scopes, like, ...limits }: CreateOptions) {
    if ([tenant !== undefined, operator, like !== undefined].filter(Boolean).length !== 1) {
      throw new AppError('invalid_request', 'Whose key? Give either --tenant NAME, --operator or --like ID.')
    }
    if (like !== undefined && scopes) throw new AppError('invalid_request', 'Give either --like or --scope.')
    const model = like === undefined ? { tenant, scopes } : await describeLike(client, like, program)
    const created = await client.request<CreatedKey>('POST', '/v1/admin/keys', {
      body: { ...model, ...known(toLimits(limits)) },
      // An operator's key may be created in an empty data folder; a tenant's key needs the tenant.
      mayCreate: operator,
    })
    return {
      json: { id: created.id, key: created.key, scopes: created.scopes },
      text: created.key,
      explanation: [
        `Key ${created.id} has the scopes: ${created.scopes.join(', ')}.`,
        'Save it now: only its hash is stored, so it cannot be shown again.',
        `Revoke it with: ${program} key revoke ${created.id} (takes effect within two seconds)`,
      ].join('\n'),
    }
  },
}

/** The properties that a new key copies from another one. The validity period starts again. */
async function describeLike(client: Context['client'], idOrKey: string, program: string) {
  const key = await requireKey(client, idOrKey, program)
  const { tenant, scopes, name, networks, createdAt, expiresAt } = key
  const periodMs = expiresAt === null ? undefined : Date.parse(expiresAt) - Date.parse(createdAt)
  return known({
    tenant: tenant ?? undefined,
    scopes,
    name: name ?? undefined,
    networks,
    expires: periodMs === undefined ? undefined : `${periodMs}ms`,
  })
}

const list: CommandSpec = {
  name: 'list',
  description: 'List all keys, including revoked and expired ones. The secrets are not stored and cannot be shown.',
  examples: ['key list', 'key list --json'],
  async run({ client, program }) {
    const keys = await listKeys(client)
    return {
      json: { keys },
      text: formatTable(
        ['ID', 'NAME', 'OWNER', 'SCOPES', 'NETWORKS', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE'],
        keys.map((key) => [
          key.id,
          key.name ?? '',
          key.tenant ?? '(operator)',
          key.scopes.join(','),
          describeNetworks(key.networks),
          key.createdAt,
          key.expiresAt ?? NEVER,
          key.lastUsedAt ?? 'never',
          describeState(key),
        ]),
        `No keys yet. Create one with: ${program} key create --tenant NAME`,
      ),
    }
  },
}

const NETWORKS_SHOWN = 2

function describeNetworks(networks: readonly string[]): string {
  if (networks.length === 0) return ANY
  const more = networks.length - NETWORKS_SHOWN
  return networks.slice(0, NETWORKS_SHOWN).join(',') + (more > 0 ? ` and ${more} more` : '')
}

function describeState({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`
  return expiresAt !== null && Date.parse(expiresAt) <= systemClock() ? 'expired' : 'valid'
}

const change: CommandSpec = {
  name: 'change',
  description: 'Change the name, expiry or networks of a key. Its owner and scopes cannot be changed.',
  arguments: [['<id>', `the id that ${PROGRAM} key list shows, or the whole key`]],
  options: [...LIMIT_OPTIONS],
  help: '--network replaces the whole list. An empty --name removes the name. A revoked or expired key cannot be changed.',
  examples: [
    'key change 4fTq0ZbX81Lc --expires 90d --network 192.0.2.7 --network 2001:db8::/32',
    `key change 4fTq0ZbX81Lc --expires ${NEVER} --network ${ANY}`,
  ],
  async run({ client, program }, idOrKey: string, limits: LimitOptions) {
    const id = parseApiKey(idOrKey)?.id ?? idOrKey
    const body = known(toLimits(limits))
    if (Object.keys(body).length === 0) {
      throw new AppError('invalid_request', 'Give what to change: --name, --expires or --network.')
    }
    const key = await client.request<ApiKey>('POST', `/v1/admin/keys/${encodeURIComponent(id)}`, {
      body,
      ifMissing: ifNoKey(id, program),
    })
    return {
      json: toJson(key),
      text: [
        `Key ${key.id}${key.name === null ? '' : `, ${printable(key.name)},`} was changed (takes effect within two seconds).`,
        `Expires: ${key.expiresAt ?? NEVER}`,
        `Networks: ${key.networks.length === 0 ? ANY : printable(key.networks.join(', '))}`,
      ].join('\n'),
    }
  },
}

const revoke: CommandSpec = {
  name: 'revoke',
  description: 'Permanently revoke a key. A running server refuses it within two seconds.',
  arguments: [['<id>', `the id that ${PROGRAM} key list shows, or the whole key`]],
  examples: ['key revoke 4fTq0ZbX81Lc'],
  async run({ client, program }, idOrKey: string) {
    const id = parseApiKey(idOrKey)?.id ?? idOrKey
    await client.request('DELETE', `/v1/admin/keys/${encodeURIComponent(id)}`, { ifMissing: ifNoKey(id, program) })
    const revokedAt = (await listKeys(client)).find((key) => key.id === id)?.revokedAt
    return { json: { id, revokedAt }, text: `Key ${id} was revoked at ${revokedAt}.` }
  },
}

function ifNoKey(id: string, program: string): string {
  return `No key has the id ${JSON.stringify(id)}. See: ${program} key list`
}

async function requireKey(client: Context['client'], idOrKey: string, program: string) {
  const id = parseApiKey(idOrKey)?.id ?? idOrKey
  const key = (await listKeys(client)).find((candidate) => candidate.id === id)
  if (key) return key
  throw new AppError('not_found', ifNoKey(id, program))
}

/** Oldest first. */
async function listKeys(client: Context['client']) {
  const { keys } = await client.request<ApiKeys>('GET', '/v1/admin/keys')
  return keys.toReversed().map(toJson)
}

function toJson({ tenant, ...key }: ApiKey) {
  const { id, name, scopes, networks, createdAt, expiresAt, lastUsedAt, revokedAt } = key
  return {
    id,
    name,
    /** Null for an operator's key. */
    tenant: tenant?.name ?? null,
    scopes,
    networks,
    createdAt,
    expiresAt,
    lastUsedAt,
    revokedAt,
  }
}

export const KEY: CommandGroup = { name: 'key', description: 'API keys.', commands: [create, list, change, revoke] }
