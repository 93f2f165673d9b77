/** Tenants and keys in SQLite. */
import { AppError } from '../../../lib/app-error.ts'
import type { ApiKeyRecord, KeyStore, NewApiKey } from '../../../tenants/key-store.ts'
import type { Scope } from '../../../tenants/scope.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import type { Database } from '../database/database.ts'
import { RowCache } from './row-cache.ts'

type TenantRow = { id: string; client_id: string; name: string; created_at_ms: number }

type KeyRow = {
  id: string
  secret_hash: Uint8Array
  scopes: string
  created_at_ms: number
  last_used_at_ms: number | null
  revoked_at_ms: number | null
  tenant_id: string | null
  client_id: string | null
  tenant_name: string | null
  tenant_created_at_ms: number | null
}

const SELECT_TENANT = 'SELECT id, client_id, name, created_at_ms FROM tenant'

const SELECT_KEY = `
  SELECT api_key.id, secret_hash, scopes, api_key.created_at_ms, last_used_at_ms, revoked_at_ms, tenant_id,
    tenant.client_id, tenant.name AS tenant_name, tenant.created_at_ms AS tenant_created_at_ms
  FROM api_key LEFT JOIN tenant ON tenant.id = api_key.tenant_id`

export class SqliteKeyStore implements KeyStore {
  readonly #db: Database
  readonly #keys = new RowCache<ApiKeyRecord>()

  constructor(db: Database) {
    this.#db = db
  }

  /** After a write on another connection. */
  forget(): void {
    this.#keys.clear()
  }

  async createTenant(tenant: Tenant): Promise<void> {
    const { changes } = this.#db.run(
      'INSERT INTO tenant (id, client_id, name, created_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
      tenant.id,
      tenant.clientId,
      tenant.name,
      tenant.createdAtMs,
    )
    if (changes === 0) throw new AppError('conflict', `A tenant named ${JSON.stringify(tenant.name)} already exists`)
  }

  async findTenantByName(name: string): Promise<Tenant | undefined> {
    const row = this.#db.get<TenantRow>(`${SELECT_TENANT} WHERE name = ?`, name)
    return row && toTenant(row)
  }

  async listTenants(): Promise<readonly Tenant[]> {
    return this.#db.all<TenantRow>(`${SELECT_TENANT} ORDER BY name`).map(toTenant)
  }

  async createKey(key: NewApiKey): Promise<void> {
    this.#db.run(
      'INSERT INTO api_key (id, secret_hash, tenant_id, scopes, created_at_ms) VALUES (?, ?, ?, ?, ?)',
      key.id,
      key.secretHash,
      key.tenantId ?? null,
      JSON.stringify(key.scopes),
      key.createdAtMs,
    )
  }

  async findKey(id: string): Promise<ApiKeyRecord | undefined> {
    return this.#keys.find(id, () => {
      const row = this.#db.get<KeyRow>(`${SELECT_KEY} WHERE api_key.id = ?`, id)
      return row && toKey(row)
    })
  }

  async listKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#db.all<KeyRow>(`${SELECT_KEY} ORDER BY api_key.created_at_ms, api_key.id`).map(toKey)
  }

  async revokeKey(id: string, nowMs: number): Promise<boolean> {
    const { changes } = this.#db.run(
      'UPDATE api_key SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?',
      nowMs,
      id,
    )
    this.#keys.clear()
    return changes > 0
  }

  /** The later time wins: uses of one key may be written in any order. */
  async recordKeyUse(lastUseMsByKeyId: ReadonlyMap<string, number>): Promise<void> {
    this.#db.transaction(() => {
      for (const [id, timeMs] of lastUseMsByKeyId) {
        this.#db.run(
          'UPDATE api_key SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?',
          timeMs,
          id,
        )
      }
    })
    this.#keys.clear()
  }
}

function toTenant(row: TenantRow): Tenant {
  return { id: row.id, clientId: row.client_id, name: row.name, createdAtMs: row.created_at_ms }
}

function toKey(row: KeyRow): ApiKeyRecord {
  const tenant = toKeyTenant(row)
  // Written by createKey from the same type.
  const scopes: readonly Scope[] = JSON.parse(row.scopes)
  return {
    id: row.id,
    secretHash: row.secret_hash,
    ...(tenant && { tenant }),
    scopes,
    createdAtMs: row.created_at_ms,
    ...(row.last_used_at_ms !== null && { lastUsedAtMs: row.last_used_at_ms }),
    ...(row.revoked_at_ms !== null && { revokedAtMs: row.revoked_at_ms }),
  }
}

function toKeyTenant(row: KeyRow): Tenant | undefined {
  const { tenant_id: id, client_id: clientId, tenant_name: name, tenant_created_at_ms: createdAtMs } = row
  // The foreign key guarantees that they are all there or none is.
  if (id === null || clientId === null || name === null || createdAtMs === null) return undefined
  return { id, clientId, name, createdAtMs }
}
