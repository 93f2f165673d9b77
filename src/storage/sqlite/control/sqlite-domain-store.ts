/** Sender domains in SQLite. */
import { isDeepStrictEqual } from 'node:util'
import type { Domain, RecheckPlan } from '../../../domains/domain.ts'
import type {
  DomainCensus,
  DomainListQuery,
  DomainPage,
  DomainSortField,
  DomainStore,
  KeyUpdate,
  VerificationUpdate,
} from '../../../domains/domain-store.ts'
import { mergeCheckedRecords } from '../../../domains/records/merge-records.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Database, SqlValue } from '../database/database.ts'
import { type DomainRow, formatDkimKeys, toDomain } from './domain-row.ts'
import { RowCache } from './row-cache.ts'

/** The only text of a requested order that gets into SQL. Columns without a value (never checked) sort below all values. */
const SORT_COLUMNS: Readonly<Record<DomainSortField, string>> = {
  id: 'id',
  createdAt: 'created_at_ms',
  updatedAt: 'updated_at_ms',
  name: 'name',
  description: 'description',
  sendingEmail: 'sending_email',
  isActive: 'is_active',
  isApproved: 'is_approved',
  isVerified: 'is_verified',
  lastVerificationCheckedAt: 'last_verification_checked_at_ms',
}

const INSERT_DOMAIN = `
  INSERT INTO domain (id, tenant_id, name, description, sending_email, is_active, is_approved, is_verified,
    failing_since_ms, dns_records, dkim_keys, last_verification_errors, last_verification_checked_at_ms,
    next_check_at_ms, recheck_step, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO NOTHING
  RETURNING *`

const UPDATE_VERIFICATION = `
  UPDATE domain SET is_approved = ?, is_verified = ?, failing_since_ms = ?, dns_records = ?,
    last_verification_errors = ?, last_verification_checked_at_ms = ?, next_check_at_ms = ?, recheck_step = ?,
    claimed_until_ms = NULL, updated_at_ms = ?
  WHERE id = ?`

const UPDATE_KEYS = `
  UPDATE domain SET dkim_keys = ?, dns_records = ?, next_check_at_ms = coalesce(?, next_check_at_ms),
    recheck_step = coalesce(?, recheck_step), updated_at_ms = ?
  WHERE id = ?`

const UPDATE_ACTIVE = `
  UPDATE domain SET is_active = ?, next_check_at_ms = coalesce(?, next_check_at_ms),
    recheck_step = coalesce(?, recheck_step), updated_at_ms = ?
  WHERE id = ?`

export const LIST_DUE = `
  SELECT id FROM domain WHERE is_active = 1 AND next_check_at_ms <= ? AND coalesce(claimed_until_ms, 0) <= ?
  ORDER BY next_check_at_ms, id LIMIT ?`

export const COUNT_BY_STATE = `
  SELECT
    CASE WHEN NOT is_active THEN 'inactive' WHEN NOT is_verified THEN 'unverified'
      WHEN failing_since_ms IS NULL THEN 'verified' ELSE 'failing' END AS state,
    count(*) AS count
  FROM domain GROUP BY state`

/** Tenants whose list of names is kept; it may be long. */
const TENANTS_KEPT = 100

interface DomainNumber {
  readonly name: string
  readonly number: number
}

export class SqliteDomainStore implements DomainStore {
  readonly #db: Database
  readonly #byName = new RowCache<Domain>()
  readonly #names = new RowCache<readonly DomainNumber[]>(TENANTS_KEPT)

  constructor(db: Database) {
    this.#db = db
  }

  /** After a write on another connection. */
  forget(): void {
    this.#byName.clear()
    this.#names.clear()
  }

  async create(domain: Omit<Domain, 'number'>): Promise<Domain> {
    const row = this.#db.get<DomainRow>(
      INSERT_DOMAIN,
      domain.id,
      domain.tenantId,
      domain.name,
      domain.description,
      domain.sendingEmail,
      Number(domain.isActive),
      Number(domain.isApproved),
      Number(domain.isVerified),
      domain.failingSinceMs ?? null,
      JSON.stringify(domain.dnsRecords),
      formatDkimKeys(domain.dkimKeys),
      JSON.stringify(domain.lastVerificationErrors),
      domain.lastVerificationCheckedAtMs ?? null,
      domain.recheck?.atMs ?? null,
      domain.recheck?.step ?? 0,
      domain.createdAtMs,
      domain.updatedAtMs,
    )
    if (!row) throw new AppError('conflict', `The domain ${domain.name} already exists`)
    this.#names.clear()
    return toDomain(row)
  }

  async findByName(name: string): Promise<Domain | undefined> {
    return this.#byName.find(name, () => this.#findWhere('name = ?', name))
  }

  async findById(id: string): Promise<Domain | undefined> {
    return this.#findWhere('id = ?', id)
  }

  #findWhere(condition: 'name = ?' | 'id = ?', value: string): Domain | undefined {
    const row = this.#db.get<DomainRow>(`SELECT * FROM domain WHERE ${condition}`, value)
    return row && toDomain(row)
  }

  async list(query: DomainListQuery): Promise<DomainPage> {
    const { conditions, values } = toConditions(query)
    const direction = query.orderBy.direction === 'asc' ? 'ASC' : 'DESC'
    const order = `${SORT_COLUMNS[query.orderBy.field]} ${direction}, id`
    return this.#db.snapshot(() => {
      const rows = this.#db.all<DomainRow>(
        `SELECT * FROM domain WHERE ${conditions} ORDER BY ${order} LIMIT ? OFFSET ?`,
        ...values,
        query.take,
        query.skip,
      )
      const counted = this.#db.get<{ count: number }>(
        `SELECT count(*) AS count FROM domain WHERE ${conditions}`,
        ...values,
      )
      return { domains: rows.map(toDomain), count: counted?.count ?? 0 }
    })
  }

  async listNames(tenantId: string): Promise<readonly DomainNumber[]> {
    return this.#names.find(tenantId, () => this.#readNames(tenantId)) ?? []
  }

  #readNames(tenantId: string): readonly DomainNumber[] {
    return this.#db
      .allArrays<[string, number]>('SELECT name, number FROM domain WHERE tenant_id = ? ORDER BY name', tenantId)
      .map(([name, number]) => ({ name, number }))
  }

  async claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly string[]> {
    return this.#db.transaction(() => {
      const due = this.#db.all<{ id: string }>(LIST_DUE, nowMs, nowMs, limit).map(({ id }) => id)
      for (const id of due) this.#db.run('UPDATE domain SET claimed_until_ms = ? WHERE id = ?', nowMs + leaseMs, id)
      return due
    })
  }

  async releaseClaims(ids: readonly string[]): Promise<void> {
    this.#db.transaction(() => {
      for (const id of ids) this.#db.run('UPDATE domain SET claimed_until_ms = NULL WHERE id = ?', id)
    })
  }

  async census(): Promise<DomainCensus> {
    const rows = this.#db.all<{ state: keyof DomainCensus; count: number }>(COUNT_BY_STATE)
    const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    return { verified: 0, failing: 0, unverified: 0, inactive: 0, ...counts }
  }

  async setActive(id: string, isActive: boolean, nowMs: number, recheck?: RecheckPlan): Promise<void> {
    this.#db.run(UPDATE_ACTIVE, Number(isActive), recheck?.atMs ?? null, recheck?.step ?? null, nowMs, id)
    this.#byName.clear()
  }

  async saveVerification(id: string, update: VerificationUpdate): Promise<void> {
    this.#db.transaction(() => {
      const domain = this.#findWhere('id = ?', id)
      if (!domain) return
      this.#db.run(
        UPDATE_VERIFICATION,
        Number(update.isApproved),
        Number(update.isVerified),
        update.failingSinceMs ?? null,
        JSON.stringify(mergeCheckedRecords(domain.dnsRecords, update.dnsRecords)),
        JSON.stringify(update.lastVerificationErrors),
        update.lastVerificationCheckedAtMs,
        update.recheck?.atMs ?? null,
        update.recheck?.step ?? 0,
        update.lastVerificationCheckedAtMs,
        id,
      )
    })
    this.#byName.clear()
  }

  async saveRecheck(id: string, { atMs, step }: RecheckPlan): Promise<void> {
    this.#db.run(
      'UPDATE domain SET next_check_at_ms = ?, recheck_step = ?, claimed_until_ms = NULL WHERE id = ?',
      atMs,
      step,
      id,
    )
    this.#byName.clear()
  }

  async saveKeys(before: Domain, update: KeyUpdate): Promise<boolean> {
    const isSaved = this.#db.transaction(() => {
      const domain = this.#findWhere('id = ?', before.id)
      if (!domain || !isDeepStrictEqual(keysOf(domain), keysOf(before))) return false
      this.#db.run(
        UPDATE_KEYS,
        formatDkimKeys(update.dkimKeys),
        JSON.stringify(update.dnsRecords),
        update.recheck?.atMs ?? null,
        update.recheck?.step ?? null,
        update.updatedAtMs,
        before.id,
      )
      return true
    })
    this.#byName.clear()
    return isSaved
  }
}

function keysOf({ dkimKeys, dnsRecords }: Domain): Pick<Domain, 'dkimKeys' | 'dnsRecords'> {
  return { dkimKeys, dnsRecords }
}

function toConditions(query: DomainListQuery): { conditions: string; values: SqlValue[] } {
  const conditions = ['TRUE']
  const values: SqlValue[] = []
  if (query.tenantId !== undefined) {
    conditions.push('tenant_id = ?')
    values.push(query.tenantId)
  }
  if (query.onboarded !== undefined) {
    conditions.push('(is_active AND is_approved AND is_verified) = ?')
    values.push(Number(query.onboarded))
  }
  return { conditions: conditions.join(' AND '), values }
}
