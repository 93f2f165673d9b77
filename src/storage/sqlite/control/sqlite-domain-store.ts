/** Sender domains in SQLite. */
import type { StoredSpf } from '../../../domains/checks/report-json.ts'
import type { Domain } from '../../../domains/domain.ts'
import type { DomainCensus, DomainListQuery, DomainStore } from '../../../domains/domain-store.ts'
import { mergeCheckedRecords } from '../../../domains/records/merge-records.ts'
import { givesWay, requireUnprovenRoom } from '../../../domains/registration/unproven-domain.ts'
import { AppError } from '../../../lib/app-error.ts'
import { requireRoom } from '../../../tenants/limits/quotas.ts'
import { CHECK_WAIT_MAX_MS, CLAIM_LEASES_MAX, hasSameKeys, inTurns } from '../../domain-rules.ts'
import { historyColumn, sortColumn, spfColumn, toColumns, toDomain, toHistory } from '../../rows/domain-row.ts'
import type { Database, Row, SqlValue } from '../database/database.ts'

export const LIST_DUE = `
  SELECT id, tenant_id AS tenantId FROM domain
  WHERE is_active = 1 AND next_check_at_ms <= ? AND coalesce(claimed_until_ms, 0) NOT BETWEEN ? AND ?
    AND tenant_id NOT IN (SELECT value FROM json_each(?))
    AND tenant_id NOT IN (SELECT id FROM tenant WHERE suspended_at_ms IS NOT NULL)
  ORDER BY next_check_at_ms, id LIMIT ?`
/** A thousand at a time; the rest follows in the next round. */
export const BRING_FORWARD = `
  UPDATE domain SET next_check_at_ms = ? WHERE id IN (
    SELECT id FROM domain WHERE is_active = 1 AND next_check_at_ms > ? LIMIT 1000)`
/** Candidates for a claim, read without those of tenants that have filled earlier steps. */
const CANDIDATES_PER_STEP = 1000
const CANDIDATE_STEPS = 4

export const COUNT_BY_STATE = `
  SELECT
    CASE WHEN NOT is_active THEN 'inactive' WHEN NOT is_verified THEN 'unverified'
      WHEN failing_since_ms IS NULL THEN 'verified' ELSE 'failing' END AS state,
    count(*) AS count
  FROM domain GROUP BY state`

const SELECT_QUOTA = 'SELECT max_domains AS quota FROM tenant WHERE id = ?'
const COUNT_OF_TENANT = 'SELECT count(*) FROM domain WHERE tenant_id = ?'
const COUNT_UNPROVEN = `${COUNT_OF_TENANT} AND proof_due_at_ms IS NOT NULL`
const SELECT_HISTORY = 'SELECT check_history AS history FROM domain WHERE id = ?'

const UNCLAIMED: Row = { claimed_until_ms: null }

export function createDomainStore(db: Database): DomainStore {
  const find = (column: 'name' | 'id', value: string): Domain | undefined => {
    const row = db.get(`SELECT * FROM domain WHERE ${column} = ?`, value)
    return row && toDomain(row)
  }
  const update = (id: string, columns: Row): void => {
    const assignments = Object.keys(columns).map((column) => `${column} = ?`)
    db.run(`UPDATE domain SET ${assignments.join(', ')} WHERE id = ?`, ...Object.values(columns), id)
  }
  return {
    async create(domain) {
      // The store gives out the numbers: events are stored under them.
      const { number: _, ...columns } = toColumns({ recheck: undefined, ...domain })
      const names = Object.keys(columns)
      return db.transaction(() => {
        const holder = find('name', domain.name)
        if (holder && givesWay(holder, domain)) db.run('DELETE FROM domain WHERE id = ?', holder.id)
        const row = db.get(
          `INSERT INTO domain (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
           ON CONFLICT (name) DO NOTHING RETURNING *`,
          ...Object.values(columns),
        )
        if (!row) throw new AppError('conflict', `The domain ${domain.name} already exists`)
        // Undone with the transaction if there are too many.
        const quota = db.get<{ quota: number | null }>(SELECT_QUOTA, domain.tenantId)?.quota ?? undefined
        if (quota !== undefined) requireRoom('domains', quota, db.number(COUNT_OF_TENANT, domain.tenantId) - 1)
        if (domain.proofDueAtMs !== undefined) requireUnprovenRoom(db.number(COUNT_UNPROVEN, domain.tenantId) - 1)
        return toDomain(row)
      })
    },
    findByName: async (name) => find('name', name),
    findById: async (id) => find('id', id),
    async findSpf(id) {
      const row = db.get<{ spf: string | null }>('SELECT spf_policy AS spf FROM domain WHERE id = ?', id)
      return typeof row?.spf === 'string' ? (JSON.parse(row.spf) as StoredSpf) : undefined
    },
    findChecks: async (id) => toHistory(db.get<{ history: string | null }>(SELECT_HISTORY, id)?.history),
    async list(query) {
      const { conditions, values } = toConditions(query)
      const direction = query.orderBy.direction === 'asc' ? 'ASC' : 'DESC'
      const order = `${sortColumn(query.orderBy.field)} ${direction}, id`
      return db.snapshot(() => {
        const sql = `SELECT * FROM domain WHERE ${conditions} ORDER BY ${order} LIMIT ? OFFSET ?`
        const domains = db.all(sql, ...values, query.take, query.skip).map(toDomain)
        return { domains, count: db.number(`SELECT count(*) FROM domain WHERE ${conditions}`, ...values) }
      })
    },
    async listNames(tenantId) {
      const rows =
        tenantId === undefined
          ? db.allArrays<[string, number]>('SELECT name, number FROM domain ORDER BY name')
          : db.allArrays<[string, number]>(
              'SELECT name, number FROM domain WHERE tenant_id = ? ORDER BY name',
              tenantId,
            )
      return rows.map(([name, number]) => ({ name, number }))
    },
    async claimDue(nowMs, limit, leaseMs) {
      return db.transaction(() => {
        db.run(BRING_FORWARD, nowMs, nowMs + CHECK_WAIT_MAX_MS)
        const due = inTurns(listDue(db, nowMs, nowMs + CLAIM_LEASES_MAX * leaseMs))
          .slice(0, limit)
          .map(({ id }) => id)
        for (const id of due) update(id, { claimed_until_ms: nowMs + leaseMs })
        return due
      })
    },
    async releaseClaims(ids) {
      db.transaction(() => {
        for (const id of ids) update(id, UNCLAIMED)
      })
    },
    async census() {
      const rows = db.all<{ state: keyof DomainCensus; count: number }>(COUNT_BY_STATE)
      const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
      return { verified: 0, failing: 0, unverified: 0, inactive: 0, ...counts }
    },
    async setActive(id, isActive, nowMs, recheck) {
      const proof = isActive && { proofDueAtMs: undefined }
      const deactivatedAtMs = isActive ? undefined : nowMs
      update(id, toColumns({ isActive, ...proof, deactivatedAtMs, updatedAtMs: nowMs, ...(recheck && { recheck }) }))
    },
    async saveVerification(id, { isApproved, isVerified, failingSinceMs, recheck, ...found }) {
      db.transaction(() => {
        const domain = find('id', id)
        if (!domain) return
        const columns = toColumns({
          isApproved,
          isVerified,
          ...(isVerified && { proofDueAtMs: undefined }),
          failingSinceMs,
          recheck,
          dnsRecords: mergeCheckedRecords(domain.dnsRecords, found.dnsRecords),
          lastVerificationErrors: found.lastVerificationErrors,
          lastVerificationCheckedAtMs: found.lastVerificationCheckedAtMs,
          updatedAtMs: found.lastVerificationCheckedAtMs,
        })
        const history = db.get<{ history: string | null }>(SELECT_HISTORY, id)?.history ?? null
        update(id, { ...columns, ...spfColumn(found.spf), ...historyColumn(history, found), ...UNCLAIMED })
      })
    },
    async saveRecheck(id, recheck) {
      update(id, { ...toColumns({ recheck }), ...UNCLAIMED })
    },
    async saveKeys(before, { dkimKeys, dnsRecords, updatedAtMs, recheck }) {
      return db.transaction(() => {
        const domain = find('id', before.id)
        if (!domain || !hasSameKeys(domain, before)) return false
        update(before.id, toColumns({ dkimKeys, dnsRecords, updatedAtMs, ...(recheck && { recheck }) }))
        return true
      })
    },
    async removeUnproven(id) {
      const removed = 'DELETE FROM domain WHERE id = ? AND is_active = 1 AND proof_due_at_ms IS NOT NULL RETURNING id'
      return db.get(removed, id) !== undefined
    },
  }
}

interface DueDomain {
  readonly id: string
  readonly tenantId: string
}

/** Longest overdue first. Not all of them if there are thousands, but in any case some of each of many tenants. */
function listDue(db: Database, nowMs: number, claimMaxMs: number): readonly DueDomain[] {
  const found: DueDomain[] = []
  const tenants = new Set<string>()
  for (let step = 0; step < CANDIDATE_STEPS; step++) {
    const more = db.all<{ [Key in keyof DueDomain]: string }>(
      LIST_DUE,
      nowMs,
      nowMs + 1,
      claimMaxMs,
      JSON.stringify([...tenants]),
      CANDIDATES_PER_STEP,
    )
    found.push(...more)
    if (more.length < CANDIDATES_PER_STEP) break
    for (const { tenantId } of more) tenants.add(tenantId)
  }
  return found
}

function toConditions({ tenantId, onboarded, search }: DomainListQuery): { conditions: string; values: SqlValue[] } {
  const conditions = [
    { sql: 'tenant_id = ?', value: tenantId },
    { sql: '(is_active AND is_approved AND is_verified) = ?', value: onboarded },
    { sql: 'instr(name, ?) > 0', value: search },
  ].filter(({ value }) => value !== undefined)
  return {
    conditions: ['TRUE', ...conditions.map(({ sql }) => sql)].join(' AND '),
    values: conditions.map(({ value }) => (typeof value === 'string' ? value : Number(value))),
  }
}
