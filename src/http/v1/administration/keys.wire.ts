/** /v1/admin/keys: API keys of tenants and of the operator. */
import { type Static, Type } from 'typebox'
import { toIsoTime } from '../../../lib/clock.ts'
import type { ApiKeyRecord } from '../../../tenants/key-store.ts'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../../../tenants/scope.ts'
import { named, ref, time, timeOrNull } from '../schema.wire.ts'

const Scopes = Type.Array(Type.Enum([...TENANT_SCOPES, ...OPERATOR_SCOPES], { type: 'string' }))

export const ApiKeySchema = named(
  'ApiKey',
  Type.Object({
    id: Type.String({ description: 'The public part of the key.' }),
    tenant: Type.Unsafe<{ readonly id: string; readonly name: string } | null>({
      anyOf: [
        {
          type: 'object',
          properties: { id: { type: 'string' }, name: { type: 'string' } },
          required: ['id', 'name'],
        },
        { type: 'null' },
      ],
      description: "Null for an operator's key.",
    }),
    scopes: Scopes,
    createdAt: time('When it was created.'),
    lastUsedAt: timeOrNull('Null before the first use. May lag by up to half a minute.'),
    revokedAt: timeOrNull('Null while it is valid.'),
  }),
)
export type ApiKey = Static<typeof ApiKeySchema>

export const ApiKeysSchema = named(
  'ApiKeys',
  Type.Object({ keys: Type.Array(ref(ApiKeySchema), { description: 'Newest first, including revoked keys.' }) }),
)
export type ApiKeys = Static<typeof ApiKeysSchema>

export const NewKeyBody = Type.Object({
  tenant: Type.Optional(Type.String({ description: "The tenant's name. Default: an operator key." })),
  scopes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'For a tenant key: `logs`, `domains`, `domainStats`; default: all three. For an operator key: `ingest`, `admin`; at ' +
        'least one is required.',
    }),
  ),
})

export const CreatedKeySchema = named(
  'CreatedApiKey',
  Type.Object({
    id: Type.String(),
    key: Type.String({ description: 'The key. It is shown only this once.' }),
    scopes: Scopes,
  }),
)
export type CreatedKey = Static<typeof CreatedKeySchema>

export const KeyParams = Type.Object({ id: Type.String({ description: 'The public part of the key.' }) })

/** Lists the fields explicitly, so that the hash of the secret stays internal. */
export function toWireKey({ id, tenant, scopes, createdAtMs, lastUsedAtMs, revokedAtMs }: ApiKeyRecord): ApiKey {
  return {
    id,
    tenant: tenant ? { id: tenant.id, name: tenant.name } : null,
    scopes: [...scopes],
    createdAt: toIsoTime(createdAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? null : toIsoTime(lastUsedAtMs),
    revokedAt: revokedAtMs === undefined ? null : toIsoTime(revokedAtMs),
  }
}
