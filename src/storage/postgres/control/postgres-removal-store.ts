/** Removals in PostgreSQL. */
import {
  type NewRemoval,
  NOTHING_REMOVED,
  type Removal,
  type RemovalKind,
  type RemovalStage,
} from '../../../events/removal/removal.ts'
import type { RemovalStore } from '../../../events/removal/removal-store.ts'
import { type RemovalRow, toRemoval } from '../../rows/removal-row.ts'
import type { Postgres, Statements } from '../database/postgres.ts'

const SELECT = `
  SELECT id, kind, object, domain_numbers AS "domainNumbers", address, requested_by AS "requestedBy",
    requested_at_ms AS "requestedAtMs", stage, position, result, finished_at_ms AS "finishedAtMs"
  FROM removal`

const INSERT = `
  INSERT INTO removal (id, kind, object, domain_numbers, address, requested_by, requested_at_ms, stage, result)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

const SAVE = `
  UPDATE removal SET stage = $1, position = $2, result = $3, address = CASE WHEN $1 = 'scrub' THEN NULL ELSE address END
  WHERE id = $4 AND finished_at_ms IS NULL`

/** From the commit on, no event of these domains is accepted. */
const REFUSE_DOMAINS = 'INSERT INTO removed_domain SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING'

const DELETE_TOTALS = [
  'DELETE FROM total WHERE domain_number = ANY ($1)',
  // In the order of all who change several of them.
  `DELETE FROM closed_total WHERE domain_number IN (
    SELECT domain_number FROM closed_total WHERE domain_number = ANY ($1) ORDER BY domain_number FOR UPDATE)`,
]

/** It goes through a whole table, which may be large, and waits for others that change it. */
const VACUUM_MS = 1_800_000

interface RemovedObject {
  readonly kind: RemovalKind
  readonly object: string
  readonly domainNumbers: readonly number[]
  readonly address?: string
}

export function createRemovalStore(db: Postgres): RemovalStore {
  return {
    async removeTenant(tenantId, removal) {
      return db.transaction(async (statements) => {
        if (!(await statements.get('SELECT 1 FROM tenant WHERE id = $1 FOR UPDATE', tenantId))) return undefined
        // Locked, so that no view is added to them.
        await statements.all('SELECT id FROM api_key WHERE tenant_id = $1 FOR UPDATE', tenantId)
        for (const table of ['key_session', 'saved_view']) {
          await statements.run(
            `DELETE FROM ${table} WHERE key_id IN (SELECT id FROM api_key WHERE tenant_id = $1)`,
            tenantId,
          )
        }
        await statements.run('DELETE FROM api_key WHERE tenant_id = $1', tenantId)
        const removed = await statements.all<{ number: number }>(
          'DELETE FROM domain WHERE tenant_id = $1 RETURNING number',
          tenantId,
        )
        await statements.run('DELETE FROM tenant WHERE id = $1', tenantId)
        const domainNumbers = removed.map(({ number }) => number).sort((a, b) => a - b)
        return insert(statements, removal, { kind: 'tenant', object: tenantId, domainNumbers })
      })
    },
    async removeDomain(domainId, removal) {
      return db.transaction(async (statements) => {
        const domain = await statements.get<{ number: number; name: string }>(
          'DELETE FROM domain WHERE id = $1 RETURNING number, name',
          domainId,
        )
        if (!domain) return undefined
        return insert(statements, removal, { kind: 'domain', object: domain.name, domainNumbers: [domain.number] })
      })
    },
    addRecipient: (address, object, removal) =>
      db.transaction((statements) =>
        insert(statements, removal, { kind: 'recipient', object, domainNumbers: [], address }),
      ),
    async find(id) {
      const row = await db.get<RemovalRow>(`${SELECT} WHERE id = $1`, id)
      return row && toRemoval(row)
    },
    list: async (limit) => (await db.all<RemovalRow>(`${SELECT} ORDER BY id DESC LIMIT $1`, limit)).map(toRemoval),
    listUnfinished: async () =>
      (await db.all<RemovalRow>(`${SELECT} WHERE finished_at_ms IS NULL ORDER BY id`)).map(toRemoval),
    async save(id, { stage, position = null, result }) {
      await db.run(SAVE, stage, position, JSON.stringify(result), id)
    },
    // Rows that were deleted stay in the files until PostgreSQL's own vacuum uses their space again, and in its write-ahead log.
    scrub: async () => {
      const session = await db.openSession({ statement_timeout: VACUUM_MS }, { query_timeout: VACUUM_MS })
      try {
        for (const table of ['quarantine', 'removal', 'batch', 'saved_view']) await session.run(`VACUUM ${table}`)
      } finally {
        session.close()
      }
      return true
    },
    async finish(id, nowMs) {
      await db.transaction(async (statements) => {
        const row = await statements.get<RemovalRow>(`${SELECT} WHERE id = $1 FOR UPDATE`, id)
        // A day may have been closed or removed meanwhile.
        if (row) await deleteTotals(statements, toRemoval(row).domainNumbers)
        await statements.run(
          'UPDATE removal SET finished_at_ms = coalesce(finished_at_ms, $1) WHERE id = $2',
          nowMs,
          id,
        )
      })
    },
  }
}

async function insert(
  statements: Statements,
  { id, requestedBy, requestedAtMs }: NewRemoval,
  { kind, object, domainNumbers, address }: RemovedObject,
): Promise<Removal> {
  const stage: RemovalStage = kind === 'recipient' ? 'hits' : 'events'
  const [numbers, result] = [JSON.stringify(domainNumbers), JSON.stringify(NOTHING_REMOVED)]
  const about = [id, kind, object, numbers, address ?? null] as const
  await statements.run(INSERT, ...about, requestedBy, requestedAtMs, stage, result)
  await statements.run(REFUSE_DOMAINS, domainNumbers)
  await deleteTotals(statements, domainNumbers)
  const removal = { id, kind, object, domainNumbers, requestedBy, requestedAtMs, stage, result: NOTHING_REMOVED }
  return address === undefined ? removal : { ...removal, address }
}

async function deleteTotals(statements: Statements, domainNumbers: readonly number[]): Promise<void> {
  for (const sql of DELETE_TOTALS) await statements.run(sql, domainNumbers)
}
