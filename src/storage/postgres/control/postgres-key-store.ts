/** Tenants and keys in PostgreSQL. */
import { AppError } from '../../../lib/app-error.ts'
import type { ApiKeyRecord, KeyStore } from '../../../tenants/key-store.ts'
import { changeLimits } from '../../../tenants/limits/key-limits.ts'
import { changeQuotas, requireRoom } from '../../../tenants/limits/quotas.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import { type KeyRow, type TenantRow, toKey, toQuotaColumns, toTenant } from '../../rows/key-rows.ts'
import type { Postgres, Statements } from '../database/postgres.ts'

const SELECT_TENANT = `
  SELECT id, client_id AS "clientId", name, created_at_ms AS "createdAtMs", max_domains AS domains, max_keys AS keys,
    max_events_per_day AS "eventsPerDay", suspended_at_ms AS "suspendedAtMs", retention_days AS "retentionDays",
    expired_to_ms AS "expiredToMs"
  FROM tenant`

const SELECT_KEY = `
  SELECT api_key.id, secret_hash AS "secretHash", scopes, api_key.created_at_ms AS "createdAtMs",
    last_used_at_ms AS "lastUsedAtMs", revoked_at_ms AS "revokedAtMs", api_key.name, expires_at_ms AS "expiresAtMs",
    networks, CASE WHEN tenant.id IS NOT NULL THEN json_build_object('id', tenant.id, 'clientId', tenant.client_id,
      'name', tenant.name, 'createdAtMs', tenant.created_at_ms, 'suspendedAtMs', tenant.suspended_at_ms)::text END AS tenant
  FROM api_key LEFT JOIN tenant ON tenant.id = api_key.tenant_id`

const INSERT_TENANT = `
  INSERT INTO tenant (id, client_id, name, created_at_ms, max_domains, max_keys, max_events_per_day)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING`
const UPDATE_QUOTAS = 'UPDATE tenant SET max_domains = $1, max_keys = $2, max_events_per_day = $3 WHERE id = $4'
const UPDATE_TENANT = 'UPDATE tenant SET suspended_at_ms = $1, retention_days = $2, expired_to_ms = $3 WHERE id = $4'
const INSERT_KEY = `
  INSERT INTO api_key (id, secret_hash, tenant_id, scopes, created_at_ms, name, expires_at_ms, networks)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
const COUNT_KEYS = `
  SELECT count(*) FROM api_key
  WHERE tenant_id = $1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)`
const COUNT_USE = `
  SELECT tenant_id AS id, sum(domains)::bigint AS domains, sum(keys)::bigint AS keys FROM (
    SELECT tenant_id, count(*) AS domains, 0 AS keys FROM domain GROUP BY tenant_id
    UNION ALL
    SELECT tenant_id, 0, count(*) FROM api_key
    WHERE tenant_id IS NOT NULL AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1)
    GROUP BY tenant_id
  ) AS counted GROUP BY tenant_id`
const CHANGE_KEY = `
  UPDATE api_key SET name = $1, expires_at_ms = $2, networks = $3
  WHERE id = $4 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $5)`
const REVOKE_KEY = 'UPDATE api_key SET revoked_at_ms = coalesce(revoked_at_ms, $1) WHERE id = $2'
/** The later time wins: uses of one key may be written in any order. In the order of the ids, so that no two writers wait for each other. */
const RECORD_USES = `
  UPDATE api_key SET last_used_at_ms =
    CASE WHEN last_used_at_ms BETWEEN used.time_ms AND used.time_ms + 86400000 THEN last_used_at_ms ELSE used.time_ms END
  FROM (
    SELECT api_key.id, time_ms FROM unnest($1::text[], $2::bigint[]) AS given (id, time_ms) JOIN api_key USING (id)
    ORDER BY api_key.id FOR UPDATE OF api_key
  ) AS used WHERE api_key.id = used.id`

export function createKeyStore(db: Postgres): KeyStore {
  const findTenant = async (column: 'id' | 'name', value: string): Promise<Tenant | undefined> => {
    const row = await db.get<TenantRow>(`${SELECT_TENANT} WHERE ${column} = $1`, value)
    return row && toTenant(row)
  }
  return {
    async createTenant({ id, clientId, name, createdAtMs, quotas }) {
      if ((await db.run(INSERT_TENANT, id, clientId, name, createdAtMs, ...toQuotaColumns(quotas))) > 0) return
      throw new AppError('conflict', `A tenant named ${JSON.stringify(name)} already exists`)
    },
    findTenant: (id) => findTenant('id', id),
    findTenantByName: (name) => findTenant('name', name),
    listTenants: async () => (await db.all<TenantRow>(`${SELECT_TENANT} ORDER BY name`)).map(toTenant),
    async changeQuotas(tenantId, change) {
      return db.transaction(async (statements) => {
        const tenant = await lockTenant(statements, tenantId)
        if (tenant)
          await statements.run(UPDATE_QUOTAS, ...toQuotaColumns(changeQuotas(tenant.quotas, change)), tenantId)
        return tenant !== undefined
      })
    },
    async changeTenant(tenantId, change) {
      return db.transaction(async (statements) => {
        const tenant = await lockTenant(statements, tenantId)
        if (!tenant) return false
        const { suspendedAtMs = null, retentionDays = null, expiredToMs = null } = { ...tenant, ...change }
        return (await statements.run(UPDATE_TENANT, suspendedAtMs, retentionDays, expiredToMs, tenantId)) > 0
      })
    },
    async countUse(nowMs) {
      const rows = await db.all<{ id: string; domains: number; keys: number }>(COUNT_USE, nowMs)
      return new Map(rows.map(({ id, domains, keys }) => [id, { domains, keys }]))
    },
    countUseOf: async (tenantId, nowMs) => ({
      domains: await db.number('SELECT count(*) FROM domain WHERE tenant_id = $1', tenantId),
      keys: await db.number(COUNT_KEYS, tenantId, nowMs),
    }),
    async createKey({ id, secretHash, tenantId, scopes, createdAtMs, name = '', expiresAtMs = null, networks = [] }) {
      const [scopeList, networkList] = [JSON.stringify(scopes), JSON.stringify(networks)]
      await db.transaction(async (statements) => {
        // Locked: two keys that are created at the same time are both counted.
        const tenant = tenantId === undefined ? undefined : await lockTenant(statements, tenantId)
        if (tenant?.quotas) {
          requireRoom('keys', tenant.quotas.keys, await statements.number(COUNT_KEYS, tenant.id, createdAtMs))
        }
        const limits = [name, expiresAtMs, networkList] as const
        await statements.run(INSERT_KEY, id, secretHash, tenantId ?? null, scopeList, createdAtMs, ...limits)
      })
    },
    findKey: (id) => findKey(db, id),
    listKeys: async () => (await db.all<KeyRow>(`${SELECT_KEY} ORDER BY api_key.created_at_ms, api_key.id`)).map(toKey),
    async changeKey(id, change, nowMs) {
      return db.transaction(async (statements) => {
        await statements.run('SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE', id)
        const key = (await findKey(statements, id)) ?? {}
        const { name = '', expiresAtMs = null, networks = [] } = changeLimits(key, change)
        return (await statements.run(CHANGE_KEY, name, expiresAtMs, JSON.stringify(networks), id, nowMs)) > 0
      })
    },
    revokeKey: (id, nowMs) =>
      db.transaction(async (statements) => {
        // First: it locks the key, to which a view may be added at the same time.
        const revoked = await statements.run(REVOKE_KEY, nowMs, id)
        await statements.run('DELETE FROM saved_view WHERE key_id = $1', id)
        return revoked > 0
      }),
    async recordKeyUse(lastUseMsByKeyId) {
      if (lastUseMsByKeyId.size === 0) return
      await db.run(RECORD_USES, [...lastUseMsByKeyId.keys()], [...lastUseMsByKeyId.values()])
    },
  }
}

async function lockTenant(statements: Statements, id: string): Promise<Tenant | undefined> {
  const row = await statements.get<TenantRow>(`${SELECT_TENANT} WHERE id = $1 FOR UPDATE`, id)
  return row && toTenant(row)
}

async function findKey(statements: Statements, id: string): Promise<ApiKeyRecord | undefined> {
  const row = await statements.get<KeyRow>(`${SELECT_KEY} WHERE api_key.id = $1`, id)
  return row && toKey(row)
}
