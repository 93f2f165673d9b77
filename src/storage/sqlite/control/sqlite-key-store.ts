/** Tenants and keys in SQLite. */
import { AppError } from '../../../lib/app-error.ts'
import type { ApiKeyRecord, KeyStore } from '../../../tenants/key-store.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import type { Database } from '../database/database.ts'

type TenantRow = Pick<Tenant, keyof Tenant>

/** Lists and the tenant are JSON, trusted on reading: only this store writes it, from values of the same types. */
type KeyRow = Pick<ApiKeyRecord, 'id' | 'secretHash' | 'createdAtMs'> & {
  scopes: string
  tenant: string | null
  lastUsedAtMs: number | null
  revokedAtMs: number | null
}

const SELECT_TENANT = 'SELECT id, client_id AS clientId, name, created_at_ms AS createdAtMs FROM tenant'

const SELECT_KEY = `
  SELECT api_key.id, secret_hash AS secretHash, scopes, api_key.created_at_ms AS createdAtMs,
    last_used_at_ms AS lastUsedAtMs, revoked_at_ms AS revokedAtMs,
    iif(tenant.id IS NULL, NULL, json_object('id', tenant.id, 'clientId', tenant.client_id, 'name', tenant.name,
      'createdAtMs', tenant.created_at_ms)) AS tenant
  FROM api_key LEFT JOIN tenant ON tenant.id = api_key.tenant_id`

const INSERT_TENANT =
  'INSERT INTO tenant (id, client_id, name, created_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING'
const INSERT_KEY = 'INSERT INTO api_key (id, secret_hash, tenant_id, scopes, created_at_ms) VALUES (?, ?, ?, ?, ?)'
const REVOKE_KEY = 'UPDATE api_key SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?'
/** The later time wins: uses of one key may be written in any order. */
const RECORD_USE = 'UPDATE api_key SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?'

export function createKeyStore(db: Database): KeyStore {
  return {
    async createTenant({ id, clientId, name, createdAtMs }) {
      if (db.run(INSERT_TENANT, id, clientId, name, createdAtMs).changes > 0) return
      throw new AppError('conflict', `A tenant named ${JSON.stringify(name)} already exists`)
    },
    async findTenantByName(name) {
      const row = db.get<TenantRow>(`${SELECT_TENANT} WHERE name = ?`, name)
      return row && { ...row }
    },
    listTenants: async () => db.all<TenantRow>(`${SELECT_TENANT} ORDER BY name`).map((row) => ({ ...row })),
    async createKey({ id, secretHash, tenantId = null, scopes, createdAtMs }) {
      db.run(INSERT_KEY, id, secretHash, tenantId, JSON.stringify(scopes), createdAtMs)
    },
    async findKey(id) {
      const row = db.get<KeyRow>(`${SELECT_KEY} WHERE api_key.id = ?`, id)
      return row && toKey(row)
    },
    listKeys: async () => db.all<KeyRow>(`${SELECT_KEY} ORDER BY api_key.created_at_ms, api_key.id`).map(toKey),
    revokeKey: async (id, nowMs) => db.run(REVOKE_KEY, nowMs, id).changes > 0,
    async recordKeyUse(lastUseMsByKeyId) {
      db.transaction(() => {
        for (const [id, timeMs] of lastUseMsByKeyId) db.run(RECORD_USE, timeMs, id)
      })
    },
  }
}

function toKey({ scopes, tenant, lastUsedAtMs, revokedAtMs, ...row }: KeyRow): ApiKeyRecord {
  return {
    ...row,
    ...(tenant !== null && { tenant: JSON.parse(tenant) }),
    scopes: JSON.parse(scopes),
    ...(lastUsedAtMs !== null && { lastUsedAtMs }),
    ...(revokedAtMs !== null && { revokedAtMs }),
  }
}
