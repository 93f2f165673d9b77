/** Tenants and keys in SQLite. */
import { AppError } from '../../../lib/app-error.ts'
import type { ApiKeyRecord, KeyStore } from '../../../tenants/key-store.ts'
import { changeLimits } from '../../../tenants/limits/key-limits.ts'
import { changeQuotas, requireRoom } from '../../../tenants/limits/quotas.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import { type KeyRow, type TenantRow, toKey, toQuotaColumns, toTenant } from '../../rows/key-rows.ts'
import type { Database } from '../database/database.ts'

const SELECT_TENANT = `
  SELECT id, client_id AS clientId, name, created_at_ms AS createdAtMs, max_domains AS domains, max_keys AS keys,
    max_events_per_day AS eventsPerDay, suspended_at_ms AS suspendedAtMs, retention_days AS retentionDays,
    expired_to_ms AS expiredToMs
  FROM tenant`

const SELECT_KEY = `
  SELECT api_key.id, secret_hash AS secretHash, scopes, api_key.created_at_ms AS createdAtMs,
    last_used_at_ms AS lastUsedAtMs, revoked_at_ms AS revokedAtMs, api_key.name, expires_at_ms AS expiresAtMs, networks,
    iif(tenant.id IS NULL, NULL, json_object('id', tenant.id, 'clientId', tenant.client_id, 'name', tenant.name,
      'createdAtMs', tenant.created_at_ms, 'suspendedAtMs', tenant.suspended_at_ms)) AS tenant
  FROM api_key LEFT JOIN tenant ON tenant.id = api_key.tenant_id`

const INSERT_TENANT = `
  INSERT INTO tenant (id, client_id, name, created_at_ms, max_domains, max_keys, max_events_per_day)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`
const UPDATE_QUOTAS = 'UPDATE tenant SET max_domains = ?, max_keys = ?, max_events_per_day = ? WHERE id = ?'
const UPDATE_TENANT = 'UPDATE tenant SET suspended_at_ms = ?, retention_days = ?, expired_to_ms = ? WHERE id = ?'
const INSERT_KEY = `
  INSERT INTO api_key (id, secret_hash, tenant_id, scopes, created_at_ms, name, expires_at_ms, networks)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const IS_VALID = 'revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)'
const COUNT_KEYS = `SELECT count(*) FROM api_key WHERE tenant_id = ? AND ${IS_VALID}`
const COUNT_DOMAINS = 'SELECT count(*) FROM domain WHERE tenant_id = ?'
const COUNT_USE = `
  SELECT tenant_id AS id, sum(domains) AS domains, sum(keys) AS keys FROM (
    SELECT tenant_id, count(*) AS domains, 0 AS keys FROM domain GROUP BY tenant_id
    UNION ALL
    SELECT tenant_id, 0, count(*) FROM api_key WHERE tenant_id IS NOT NULL AND ${IS_VALID} GROUP BY tenant_id
  ) GROUP BY tenant_id`
const CHANGE_KEY = `UPDATE api_key SET name = ?, expires_at_ms = ?, networks = ? WHERE id = ? AND ${IS_VALID}`
const REVOKE_KEY = 'UPDATE api_key SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?'
/** The later time wins: uses of one key may be written in any order. */
const RECORD_USE = `
  UPDATE api_key SET last_used_at_ms =
    CASE WHEN last_used_at_ms BETWEEN ?1 AND ?1 + 86400000 THEN last_used_at_ms ELSE ?1 END
  WHERE id = ?2`

export function createKeyStore(db: Database): KeyStore {
  const findTenant = (column: 'id' | 'name', value: string): Tenant | undefined => {
    const row = db.get<TenantRow>(`${SELECT_TENANT} WHERE ${column} = ?`, value)
    return row && toTenant(row)
  }
  const findKey = (id: string): ApiKeyRecord | undefined => {
    const row = db.get<KeyRow>(`${SELECT_KEY} WHERE api_key.id = ?`, id)
    return row && toKey(row)
  }
  return {
    async createTenant({ id, clientId, name, createdAtMs, quotas }) {
      if (db.run(INSERT_TENANT, id, clientId, name, createdAtMs, ...toQuotaColumns(quotas)).changes > 0) return
      throw new AppError('conflict', `A tenant named ${JSON.stringify(name)} already exists`)
    },
    findTenant: async (id) => findTenant('id', id),
    findTenantByName: async (name) => findTenant('name', name),
    listTenants: async () => db.all<TenantRow>(`${SELECT_TENANT} ORDER BY name`).map(toTenant),
    async changeQuotas(tenantId, change) {
      return db.transaction(() => {
        const tenant = findTenant('id', tenantId)
        if (tenant) db.run(UPDATE_QUOTAS, ...toQuotaColumns(changeQuotas(tenant.quotas, change)), tenantId)
        return tenant !== undefined
      })
    },
    async changeTenant(tenantId, change) {
      return db.transaction(() => {
        const tenant = findTenant('id', tenantId)
        if (!tenant) return false
        const { suspendedAtMs = null, retentionDays = null, expiredToMs = null } = { ...tenant, ...change }
        return db.run(UPDATE_TENANT, suspendedAtMs, retentionDays, expiredToMs, tenantId).changes > 0
      })
    },
    async countUse(nowMs) {
      const rows = db.all<{ id: string; domains: number; keys: number }>(COUNT_USE, nowMs)
      return new Map(rows.map(({ id, domains, keys }) => [id, { domains, keys }]))
    },
    async countUseOf(tenantId, nowMs) {
      return { domains: db.number(COUNT_DOMAINS, tenantId), keys: db.number(COUNT_KEYS, tenantId, nowMs) }
    },
    async createKey({ id, secretHash, tenantId, scopes, createdAtMs, name = '', expiresAtMs = null, networks = [] }) {
      const [scopeList, networkList] = [JSON.stringify(scopes), JSON.stringify(networks)]
      db.transaction(() => {
        const tenant = tenantId === undefined ? undefined : findTenant('id', tenantId)
        if (tenant?.quotas) requireRoom('keys', tenant.quotas.keys, db.number(COUNT_KEYS, tenant.id, createdAtMs))
        db.run(INSERT_KEY, id, secretHash, tenantId ?? null, scopeList, createdAtMs, name, expiresAtMs, networkList)
      })
    },
    findKey: async (id) => findKey(id),
    listKeys: async () => db.all<KeyRow>(`${SELECT_KEY} ORDER BY api_key.created_at_ms, api_key.id`).map(toKey),
    async changeKey(id, change, nowMs) {
      return db.transaction(() => {
        const { name = '', expiresAtMs = null, networks = [] } = changeLimits(findKey(id) ?? {}, change)
        return db.run(CHANGE_KEY, name, expiresAtMs, JSON.stringify(networks), id, nowMs).changes > 0
      })
    },
    async revokeKey(id, nowMs) {
      return db.transaction(() => {
        db.run('DELETE FROM saved_view WHERE key_id = ?', id)
        return db.run(REVOKE_KEY, nowMs, id).changes > 0
      })
    },
    async recordKeyUse(lastUseMsByKeyId) {
      db.transaction(() => {
        for (const [id, timeMs] of lastUseMsByKeyId) db.run(RECORD_USE, timeMs, id)
      })
    },
  }
}
