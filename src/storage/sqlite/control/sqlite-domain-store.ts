/** Sender domains in SQLite. */
import type { Domain } from '../../../domains/domain.ts'
import type {
  DomainListQuery,
  DomainPage,
  DomainSortField,
  DomainStore,
  VerificationUpdate,
} from '../../../domains/domain-store.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Database, SqlValue } from '../database.ts'
import { type DomainRow, toDomain } from './domain-row.ts'
import { RowCache } from './row-cache.ts'

/** The only text that an order can bring into SQL. Columns without a value (never checked) sort below all values. */
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
  INSERT INTO domain (id, tenant_id, name, description, sending_email, is_active, is_approved, is_verified, dns_records,
    dkim_selector, dkim_public_key, dkim_sealed_private_key, last_verification_errors, last_verification_checked_at_ms,
    created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO NOTHING
  RETURNING *`

const UPDATE_VERIFICATION = `
  UPDATE domain SET is_approved = ?, is_verified = ?, dns_records = ?, last_verification_errors = ?,
    last_verification_checked_at_ms = ?, updated_at_ms = ?
  WHERE id = ?`

export class SqliteDomainStore implements DomainStore {
  readonly #db: Database
  readonly #byName: RowCache<Domain>

  constructor(db: Database) {
    this.#db = db
    this.#byName = new RowCache(db)
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
      JSON.stringify(domain.dnsRecords),
      domain.dkimKey?.selector ?? null,
      domain.dkimKey?.publicKey ?? null,
      domain.dkimKey?.sealedPrivateKey ?? null,
      JSON.stringify(domain.lastVerificationErrors),
      domain.lastVerificationCheckedAtMs ?? null,
      domain.createdAtMs,
      domain.updatedAtMs,
    )
    if (!row) throw new AppError('conflict', `The domain ${domain.name} was added already`)
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

  async listNames(tenantId: string): Promise<readonly { name: string; number: number }[]> {
    const rows = this.#db.all<{ name: string; number: number }>(
      'SELECT name, number FROM domain WHERE tenant_id = ? ORDER BY name',
      tenantId,
    )
    return rows.map(({ name, number }) => ({ name, number }))
  }

  async setActive(id: string, isActive: boolean, nowMs: number): Promise<void> {
    this.#db.run('UPDATE domain SET is_active = ?, updated_at_ms = ? WHERE id = ?', Number(isActive), nowMs, id)
    this.#byName.clear()
  }

  async saveVerification(id: string, update: VerificationUpdate): Promise<void> {
    this.#db.run(
      UPDATE_VERIFICATION,
      Number(update.isApproved),
      Number(update.isVerified),
      JSON.stringify(update.dnsRecords),
      JSON.stringify(update.lastVerificationErrors),
      update.lastVerificationCheckedAtMs,
      update.lastVerificationCheckedAtMs,
      id,
    )
    this.#byName.clear()
  }
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
