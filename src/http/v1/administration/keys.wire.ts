/** /v1/admin/keys: API keys of tenants and of the operator. */
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import type { ApiKeyRecord } from '../../../tenants/key-store.ts'
import { OPERATOR_SCOPES, TENANT_PEOPLE_SCOPES } from '../../../tenants/scope.ts'

const SCOPES = [...TENANT_PEOPLE_SCOPES, ...OPERATOR_SCOPES] as const
const Scopes = t.list(t.oneOf(SCOPES))
const Owner = t.object({ id: t.text(), name: t.text() })

export const ApiKeySchema = t.named('ApiKey', {
  id: t.text('The public part of the key.'),
  name: t.textOrNull('A name to recognize it by. Null if it has none.'),
  tenant: t.raw<t.Static<typeof Owner> | null>({ anyOf: [Owner, { type: 'null' }] }, "Null for an operator's key."),
  scopes: Scopes,
  networks: t.list(t.text(), 'Addresses and CIDR blocks that it may be used from. Empty: everywhere.'),
  createdAt: t.time('When it was created.'),
  expiresAt: t.timeOrNull('From then on it is refused like a revoked key. Null: never.'),
  lastUsedAt: t.timeOrNull('Null before the first use. May lag by up to half a minute.'),
  revokedAt: t.timeOrNull('Null while it is valid.'),
})
export type ApiKey = t.Static<typeof ApiKeySchema>

export const KEY_ORDERS = ['-created', 'created', 'name', 'tenant', '-used', 'used', 'expires'] as const

export const KeysQuery = t.object({
  search: t.optional(
    t.text("Only keys whose id, name or tenant's name contains this text, in upper or lower case.", { maxLength: 200 }),
  ),
  valid: t.optional(t.flag('`true`: only keys that are neither revoked nor expired. `false`: only the others.')),
  scope: t.optional(t.oneOf(SCOPES, 'Only keys with this scope.')),
  sort: t.preset(
    t.oneOf(
      KEY_ORDERS,
      "Order: by the time of creation, by name, by the tenant's name, by the last use, or by the time of expiry. Keys without the " +
        'value come last; `used` lists keys that were never used first.',
      { default: '-created' },
    ),
  ),
  skip: t.preset(t.count('Keys to skip.', { default: 0 })),
  take: t.optional(t.integer('Maximum number of keys to return. Default: all.', { minimum: 1, maximum: 1000 })),
})

export const ApiKeysSchema = t.named('ApiKeys', {
  keys: t.list(t.ref(ApiKeySchema), 'In the requested order, including revoked and expired keys.'),
  count: t.count("Number of keys that match, not the page's length."),
})
export type ApiKeys = t.Static<typeof ApiKeysSchema>

const Name = t.text('A name to recognize it by: at most 100 printable characters. Empty: none.')
const Networks = t.list(
  t.text(undefined, { maxLength: 100 }),
  'Addresses and CIDR blocks that the key may be used from, at most 50. Empty: everywhere. Requests from elsewhere get the ' +
    'same response as with an invalid key.',
)
const Expires = t.textOrNull(
  'When the key expires: a duration from now such as `90d`, or a time in the future such as `2027-01-31T12:00:00Z`. Null: never.',
)

export const NewKeyBody = t.object({
  tenant: t.optional(t.text("The tenant's name. Default: an operator key.")),
  scopes: t.optional(
    t.list(
      t.text(),
      'For a tenant key: `logs`, `domains`, `domainStats`; default: these three. Also `addDomains`: the tenant ' +
        'adds domains itself, if the operator has set ENVELOG_ADD_DOMAINS. Or only `ingest`: the key sends events of the ' +
        "tenant's domains and can do nothing else. For an operator key: `ingest`, `admin`, `read` (everything that /v1/admin " +
        'shows except secrets, and no changes); at least one is required.',
    ),
  ),
  name: t.optional(Name),
  expires: t.optional(Expires),
  networks: t.optional(Networks),
})

export const ChangedKeyBody = t.object({
  name: t.optional(Name),
  expires: t.optional(Expires),
  networks: t.optional(Networks),
})

export const CreatedKeySchema = t.named('CreatedApiKey', {
  id: t.text(),
  key: t.text('The key. It is shown only this once.'),
  scopes: Scopes,
})
export type CreatedKey = t.Static<typeof CreatedKeySchema>

export const KeyParams = t.object({ id: t.text('The public part of the key.') })

/** Lists the fields explicitly, so that the hash of the secret stays internal. */
export function toWireKey(key: ApiKeyRecord): ApiKey {
  const { id, name, tenant, scopes, networks, createdAtMs, expiresAtMs, lastUsedAtMs, revokedAtMs } = key
  return {
    id,
    name: name ?? null,
    tenant: tenant ? { id: tenant.id, name: tenant.name } : null,
    scopes,
    networks: networks ?? [],
    createdAt: toIsoTime(createdAtMs),
    expiresAt: toTimeOrNull(expiresAtMs),
    lastUsedAt: toTimeOrNull(lastUsedAtMs),
    revokedAt: toTimeOrNull(revokedAtMs),
  }
}

function toTimeOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : toIsoTime(timeMs)
}
