/** `key`: API keys of tenants and of the operator. */
import { Option } from 'commander'
import type { ApiKeys, CreatedKey } from '../../http/v1/administration/keys.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseApiKey } from '../../tenants/api-key.ts'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../../tenants/scope.ts'
import { append, type CommandGroup, type CommandSpec, type Context } from '../command/command.ts'
import { PROGRAM } from '../text/help.ts'
import { formatTable } from '../text/text-table.ts'

interface CreateOptions {
  readonly tenant?: string
  readonly operator?: boolean
  readonly scope?: readonly string[]
}

const create: CommandSpec = {
  name: 'create',
  description:
    "Create an API key: a tenant's, to read its own data, or an operator's, to send events or to administer.",
  options: [
    ['--tenant <name>', 'the tenant that owns the key'],
    ['--operator', "create an operator's key"],
    new Option(
      '--scope <scope>',
      `what the key may do, repeatable; tenants: ${TENANT_SCOPES.join(', ')} (default: all); operator: ${OPERATOR_SCOPES.join(', ')}`,
    ).argParser(append),
  ],
  examples: [
    'key create --tenant Acme',
    'key create --tenant Acme --scope logs --scope domainStats',
    'key create --operator --scope ingest',
  ],
  async run({ client }, { tenant, operator = false, scope: scopes }: CreateOptions) {
    if (operator === (tenant !== undefined)) {
      throw new AppError('invalid_request', 'Whose key? Give either --tenant NAME or --operator.')
    }
    const created = await client.request<CreatedKey>('POST', '/v1/admin/keys', {
      body: { tenant, scopes },
      // An operator's key may be created in an empty data folder; a tenant's key needs the tenant.
      mayCreate: operator,
    })
    return {
      json: { id: created.id, key: created.key, scopes: created.scopes },
      text: [
        created.key,
        '',
        `Key ${created.id} has the scopes: ${created.scopes.join(', ')}.`,
        'Save it now: only its hash is stored, so it cannot be shown again.',
        `Revoke it with: ${PROGRAM} key revoke ${created.id} (takes effect within two seconds)`,
      ].join('\n'),
    }
  },
}

const list: CommandSpec = {
  name: 'list',
  description: 'List all keys, including revoked ones. The secrets are not stored and cannot be shown.',
  examples: ['key list', 'key list --json'],
  async run({ client }) {
    const keys = await listKeys(client)
    return {
      json: { keys },
      text: formatTable(
        ['ID', 'OWNER', 'SCOPES', 'CREATED', 'LAST USED', 'STATE'],
        keys.map((key) => [
          key.id,
          key.tenant ?? '(operator)',
          key.scopes.join(','),
          key.createdAt,
          key.lastUsedAt ?? 'never',
          key.revokedAt === null ? 'valid' : `revoked ${key.revokedAt}`,
        ]),
        `No keys yet. Create one with: ${PROGRAM} key create --tenant NAME`,
      ),
    }
  },
}

const revoke: CommandSpec = {
  name: 'revoke',
  description: 'Permanently revoke a key. A running server refuses it within two seconds.',
  arguments: [['<id>', `the id that ${PROGRAM} key list shows, or the whole key`]],
  examples: ['key revoke 4fTq0ZbX81Lc'],
  async run({ client }, idOrKey: string) {
    const id = parseApiKey(idOrKey)?.id ?? idOrKey
    await client.request('DELETE', `/v1/admin/keys/${encodeURIComponent(id)}`, {
      ifMissing: `No key has the id ${JSON.stringify(id)}. See: ${PROGRAM} key list`,
    })
    const revokedAt = (await listKeys(client)).find((key) => key.id === id)?.revokedAt
    return { json: { id, revokedAt }, text: `Key ${id} was revoked at ${revokedAt}.` }
  },
}

/** Oldest first. */
async function listKeys(client: Context['client']) {
  const { keys } = await client.request<ApiKeys>('GET', '/v1/admin/keys')
  return keys.toReversed().map(({ id, tenant, scopes, createdAt, lastUsedAt, revokedAt }) => ({
    id,
    /** Null for an operator's key. */
    tenant: tenant?.name ?? null,
    scopes,
    createdAt,
    lastUsedAt,
    revokedAt,
  }))
}

export const KEY: CommandGroup = { name: 'key', description: 'API keys.', commands: [create, list, revoke] }
