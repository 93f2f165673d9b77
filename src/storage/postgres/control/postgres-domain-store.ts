/** Sender domains in PostgreSQL. */
import type { StoredSpf } from '../../../domains/checks/report-json.ts'
import type { Domain } from '../../../domains/domain.ts'
import type { DomainCensus, DomainListQuery, DomainStore } from '../../../domains/domain-store.ts'
import { mergeCheckedRecords } from '../../../domains/records/merge-records.ts'
import { givesWay, requireUnprovenRoom } from '../../../domains/registration/unproven-domain.ts'
import { AppError } from '../../../lib/app-error.ts'
import { requireRoom } from '../../../tenants/limits/quotas.ts'
import { CHECK_WAIT_MAX_MS, CLAIM_LEASES_MAX, hasSameKeys, inTurns } from '../../domain-rules.ts'
import { historyColumn, sortColumn, spfColumn, toColumns, toDomain, toHistory } from '../../rows/domain-row.ts'
import type { Postgres, Row, SqlValue, Statements } from '../database/postgres.ts'
import type { Versioned } from './kept-names.ts'

const LIST_DUE = `
  SELECT id, tenant_id AS "tenantId" FROM domain
  WHERE is_active = 1 AND next_check_at_ms <= $1 AND coalesce(claimed_until_ms, 0) NOT BETWEEN $2 AND $3
    AND tenant_id <> ALL ($4::text[])
    AND tenant_id NOT IN (SELECT id FROM tenant WHERE suspended_at_ms IS NOT NULL)
  ORDER BY next_check_at_ms, id LIMIT $5`
/** Of these, those that nobody has claimed since: rows that another server is claiming at this moment are skipped. */
const CLAIM = `
  UPDATE domain SET claimed_until_ms = $1 WHERE id IN (
    SELECT id FROM domain WHERE id = ANY ($2) AND coalesce(claimed_until_ms, 0) NOT BETWEEN $3 AND $4
    FOR UPDATE SKIP LOCKED)
  RETURNING id`
/** A thousand at a time; the rest follows in the next round. */
const BRING_FORWARD = `
  UPDATE domain SET next_check_at_ms = $1 WHERE id IN (
    SELECT id FROM domain WHERE is_active = 1 AND next_check_at_ms > $2 LIMIT 1000 FOR UPDATE SKIP LOCKED)`
/** Candidates for a claim, read without those of tenants that have filled earlier steps. */
const CANDIDATES_PER_STEP = 1000
const CANDIDATE_STEPS = 4

const COUNT_BY_STATE = `
  SELECT
    CASE WHEN is_active = 0 THEN 'inactive' WHEN is_verified = 0 THEN 'unverified'
      WHEN failing_since_ms IS NULL THEN 'verified' ELSE 'failing' END AS state,
    count(*) AS count
  FROM domain GROUP BY state`

/** Locked, so that two domains that are added at the same time are both counted. */
const SELECT_QUOTA = 'SELECT max_domains AS quota FROM tenant WHERE id = $1 FOR UPDATE'
const COUNT_OF_TENANT = 'SELECT count(*) FROM domain WHERE tenant_id = $1'
const COUNT_UNPROVEN = `${COUNT_OF_TENANT} AND proof_due_at_ms IS NOT NULL`
const SELECT_HISTORY = 'SELECT check_history AS history FROM domain WHERE id = $1'

const UNCLAIMED: Row = { claimed_until_ms: null }

export function createDomainStore(db: Postgres): DomainStore {
  return {
    async create(domain) {
      // The store gives out the numbers: events are stored under them.
      const { number: _, ...columns } = toColumns({ recheck: undefined, ...domain })
      const names = Object.keys(columns)
      const insert = `INSERT INTO domain (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})
        ON CONFLICT (name) DO NOTHING RETURNING *`
      return db.transaction(async (statements) => {
        const quota =
          (await statements.get<{ quota: number | null }>(SELECT_QUOTA, domain.tenantId))?.quota ?? undefined
        const holder = await find(statements, 'name', domain.name, 'FOR UPDATE')
        if (holder && givesWay(holder, domain)) await statements.run('DELETE FROM domain WHERE id = $1', holder.id)
        const row = await statements.get(insert, ...Object.values(columns))
        if (!row) throw new AppError('conflict', `The domain ${domain.name} already exists`)
        // Undone with the transaction if there are too many.
        const others = quota === undefined ? 0 : (await statements.number(COUNT_OF_TENANT, domain.tenantId)) - 1
        if (quota !== undefined) requireRoom('domains', quota, others)
        if (domain.proofDueAtMs !== undefined)
          requireUnprovenRoom((await statements.number(COUNT_UNPROVEN, domain.tenantId)) - 1)
        return toDomain(row)
      })
    },
    findByName: (name) => find(db, 'name', name),
    findById: (id) => find(db, 'id', id),
    async findSpf(id) {
      const row = await db.get<{ spf: string | null }>('SELECT spf_policy AS spf FROM domain WHERE id = $1', id)
      return typeof row?.spf === 'string' ? (JSON.parse(row.spf) as StoredSpf) : undefined
    },
    findChecks: async (id) => toHistory((await db.get<{ history: string | null }>(SELECT_HISTORY, id))?.history),
    async list(query) {
      const { conditions, values } = toConditions(query)
      // NULL first, as in all engines.
      const direction = query.orderBy.direction === 'asc' ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'
      const order = `${sortColumn(query.orderBy.field)} ${direction}, id`
      const [limit, offset] = [values.length + 1, values.length + 2]
      return db.snapshot(async (statements) => {
        const sql = `SELECT * FROM domain WHERE ${conditions} ORDER BY ${order} LIMIT $${limit} OFFSET $${offset}`
        const rows = await statements.all(sql, ...values, query.take, query.skip)
        const count = await statements.number(`SELECT count(*) FROM domain WHERE ${conditions}`, ...values)
        return { domains: rows.map(toDomain), count }
      })
    },
    listNames: (tenantId) =>
      tenantId === undefined
        ? db.all('SELECT name, number FROM domain ORDER BY name')
        : db.all('SELECT name, number FROM domain WHERE tenant_id = $1 ORDER BY name', tenantId),
    async claimDue(nowMs, limit, leaseMs) {
      await db.run(BRING_FORWARD, nowMs, nowMs + CHECK_WAIT_MAX_MS)
      const claimMaxMs = nowMs + CLAIM_LEASES_MAX * leaseMs
      const due = inTurns(await listDue(db, nowMs, claimMaxMs)).map(({ id }) => id)
      const claimed: string[] = []
      while (claimed.length < limit && due.length > 0) {
        const wanted = due.splice(0, limit - claimed.length)
        const rows = await db.all<{ id: string }>(CLAIM, nowMs + leaseMs, wanted, nowMs + 1, claimMaxMs)
        const own = new Set(rows.map(({ id }) => id))
        claimed.push(...wanted.filter((id) => own.has(id)))
      }
      return claimed
    },
    async releaseClaims(ids) {
      await db.run('UPDATE domain SET claimed_until_ms = NULL WHERE id = ANY ($1)', ids)
    },
    async census() {
      const rows = await db.all<{ state: keyof DomainCensus; count: number }>(COUNT_BY_STATE)
      const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
      return { verified: 0, failing: 0, unverified: 0, inactive: 0, ...counts }
    },
    async setActive(id, isActive, nowMs, recheck) {
      const proof = isActive && { proofDueAtMs: undefined }
      const deactivatedAtMs = isActive ? undefined : nowMs
      const columns = { isActive, ...proof, deactivatedAtMs, updatedAtMs: nowMs, ...(recheck && { recheck }) }
      await update(db, id, toColumns(columns))
    },
    async saveVerification(id, { isApproved, isVerified, failingSinceMs, recheck, ...found }) {
      await db.transaction(async (statements) => {
        const domain = await find(statements, 'id', id, 'FOR UPDATE')
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
        const { history = null } = (await statements.get<{ history: string | null }>(SELECT_HISTORY, id)) ?? {}
        const kept = { ...spfColumn(found.spf), ...historyColumn(history, found) }
        await update(statements, id, { ...columns, ...kept, ...UNCLAIMED })
      })
    },
    saveRecheck: (id, recheck) => update(db, id, { ...toColumns({ recheck }), ...UNCLAIMED }),
    async saveKeys(before, { dkimKeys, dnsRecords, updatedAtMs, recheck }) {
      return db.transaction(async (statements) => {
        const domain = await find(statements, 'id', before.id, 'FOR UPDATE')
        if (!domain || !hasSameKeys(domain, before)) return false
        await update(
          statements,
          before.id,
          toColumns({ dkimKeys, dnsRecords, updatedAtMs, ...(recheck && { recheck }) }),
        )
        return true
      })
    },
    async removeUnproven(id) {
      const removed = 'DELETE FROM domain WHERE id = $1 AND is_active = 1 AND proof_due_at_ms IS NOT NULL RETURNING id'
      return (await db.get(removed, id)) !== undefined
    },
  }
}

/** By name, those that exist. The version is the transaction that wrote the row. */
export async function findDomains(
  statements: Statements,
  names: readonly string[],
): Promise<ReadonlyMap<string, Versioned<Domain>>> {
  const rows = await statements.all(
    'SELECT *, xmin::text AS version FROM domain WHERE name = ANY ($1)',
    names.map(toName),
  )
  const found = rows.map(({ version, ...row }) => ({ value: toDomain(row), version: String(version) }))
  return new Map(found.map((one) => [one.value.name, one]))
}

export async function findDomainVersions(
  statements: Statements,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = 'SELECT name, xmin::text AS version FROM domain WHERE name = ANY ($1)'
  const rows = await statements.all<{ name: string; version: string }>(sql, names.map(toName))
  return new Map(rows.map(({ name, version }) => [name, version]))
}

/** Text in PostgreSQL has no NUL: no domain has this name. */
function toName(text: string): string {
  return text.includes('\0') ? '' : text
}

async function find(
  statements: Statements,
  column: 'name' | 'id',
  value: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Domain | undefined> {
  const row = await statements.get(`SELECT * FROM domain WHERE ${column} = $1 ${lock}`, value)
  return row && toDomain(row)
}

async function update(statements: Statements, id: string, columns: Row): Promise<void> {
  const names = Object.keys(columns)
  const assignments = names.map((column, at) => `${column} = $${at + 1}`).join(', ')
  const sql = `UPDATE domain SET ${assignments} WHERE id = $${names.length + 1}`
  await statements.run(sql, ...Object.values(columns), id)
}

interface DueDomain {
  readonly id: string
  readonly tenantId: string
}

/** Longest overdue first. Not all of them if there are thousands, but in any case some of each of many tenants. */
async function listDue(statements: Statements, nowMs: number, claimMaxMs: number): Promise<readonly DueDomain[]> {
  const found: DueDomain[] = []
  const tenants = new Set<string>()
  for (let step = 0; step < CANDIDATE_STEPS; step++) {
    const values = [nowMs, nowMs + 1, claimMaxMs, [...tenants], CANDIDATES_PER_STEP] as const
    const more = await statements.all<DueDomain>(LIST_DUE, ...values)
    found.push(...more)
    if (more.length < CANDIDATES_PER_STEP) break
    for (const { tenantId } of more) tenants.add(tenantId)
  }
  return found
}

function toConditions({ tenantId, onboarded, search }: DomainListQuery): { conditions: string; values: SqlValue[] } {
  const conditions = [
    { sql: 'tenant_id = $', value: tenantId },
    {
      sql: 'is_active * is_approved * is_verified = $',
      value: onboarded === undefined ? undefined : Number(onboarded),
    },
    { sql: '0 < strpos(name, $', value: search, end: ')' },
  ].filter(({ value }) => value !== undefined)
  return {
    conditions: ['TRUE', ...conditions.map(({ sql, end = '' }, at) => `${sql}${at + 1}${end}`)].join(' AND '),
    values: conditions.map(({ value }) => value ?? null),
  }
}
