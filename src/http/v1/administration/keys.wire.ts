/** /v1/admin/keys: API keys of tenants and of the operator. */
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import type { ApiKeyRecord } from '../../../tenants/key-store.ts'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../../../tenants/scope.ts'

const Scopes = t.list(t.oneOf([...TENANT_SCOPES, ...OPERATOR_SCOPES]))
const Owner = t.object({ id: t.text(), name: t.text() })

export const ApiKeySchema = t.named('ApiKey', {
  id: t.text('The public part of the key.'),
  tenant: t.raw<t.Static<typeof Owner> | null>({ anyOf: [Owner, { type: 'null' }] }, "Null for an operator's key."),
  scopes: Scopes,
  createdAt: t.time('When it was created.'),
  lastUsedAt: t.timeOrNull('Null before the first use. May lag by up to half a minute.'),
  revokedAt: t.timeOrNull('Null while it is valid.'),
})
export type ApiKey = t.Static<typeof ApiKeySchema>

export const ApiKeysSchema = t.named('ApiKeys', {
  keys: t.list(t.ref(ApiKeySchema), 'Newest first, including revoked keys.'),
})
export type ApiKeys = t.Static<typeof ApiKeysSchema>

export const NewKeyBody = t.object({
  tenant: t.optional(t.text("The tenant's name. Default: an operator key.")),
  scopes: t.optional(
    t.list(
      t.text(),
      'For a tenant key: `logs`, `domains`, `domainStats`; default: all three. For an operator key: `ingest`, `admin`; at ' +
        'least one is required.',
    ),
  ),
})

export const CreatedKeySchema = t.named('CreatedApiKey', {
  id: t.text(),
  key: t.text('The key. It is shown only this once.'),
  scopes: Scopes,
})
export type CreatedKey = t.Static<typeof CreatedKeySchema>

export const KeyParams = t.object({ id: t.text('The public part of the key.') })

/** Lists the fields explicitly, so that the hash of the secret stays internal. */
export function toWireKey({ id, tenant, scopes, createdAtMs, lastUsedAtMs, revokedAtMs }: ApiKeyRecord): ApiKey {
  return {
    id,
    tenant: tenant ? { id: tenant.id, name: tenant.name } : null,
    scopes,
    createdAt: toIsoTime(createdAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? null : toIsoTime(lastUsedAtMs),
    revokedAt: revokedAtMs === undefined ? null : toIsoTime(revokedAtMs),
  }
}
