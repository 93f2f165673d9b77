/** Removals in SQLite. */
import {
  type NewRemoval,
  NOTHING_REMOVED,
  type Removal,
  type RemovalKind,
  type RemovalStage,
} from '../../../events/removal/removal.ts'
import type { RemovalStore } from '../../../events/removal/removal-store.ts'
import { type RemovalRow, toRemoval } from '../../rows/removal-row.ts'
import type { Database } from '../database/database.ts'
import { ControlScrub } from '../erasing/scrub-control.ts'

const SELECT = `
  SELECT id, kind, object, domain_numbers AS domainNumbers, address, requested_by AS requestedBy,
    requested_at_ms AS requestedAtMs, stage, position, result, finished_at_ms AS finishedAtMs
  FROM removal`

const INSERT = `
  INSERT INTO removal (id, kind, object, domain_numbers, address, requested_by, requested_at_ms, stage, result)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const SAVE = `
  UPDATE removal SET stage = ?1, position = ?2, result = ?3, address = iif(?1 = 'scrub', NULL, address)
  WHERE id = ?4 AND finished_at_ms IS NULL`

/** Events of a domain that was removed may still be on their way: not for long, so the latest removals are enough. */
const LATEST = 1000

export interface SqliteRemovalStore extends RemovalStore {
  /** For the writing thread, which stores no event of such a domain. */
  isRemovedDomain(number: number): boolean
}

export function createRemovalStore(db: Database): SqliteRemovalStore {
  const scrub = new ControlScrub(db)
  /** Loaded when it is first asked for. */
  let removedDomains: Set<number> | undefined
  const listRemoved = (): Set<number> => {
    const rows = db.all<RemovalRow>(`${SELECT} WHERE kind <> 'recipient' ORDER BY id DESC LIMIT ${LATEST}`)
    return new Set(rows.flatMap((row) => toRemoval(row).domainNumbers))
  }
  const insert = (
    { id, requestedBy, requestedAtMs }: NewRemoval,
    kind: RemovalKind,
    object: string,
    domainNumbers: readonly number[],
    address: string | null = null,
  ): Removal => {
    const stage: RemovalStage = kind === 'recipient' ? 'hits' : 'events'
    const [numbers, result] = [JSON.stringify(domainNumbers), JSON.stringify(NOTHING_REMOVED)]
    db.run(INSERT, id, kind, object, numbers, address, requestedBy, requestedAtMs, stage, result)
    for (const number of domainNumbers) {
      db.run('DELETE FROM total WHERE domain_number = ?', number)
      removedDomains?.add(number)
    }
    const removal = { id, kind, object, domainNumbers, requestedBy, requestedAtMs, stage, result: NOTHING_REMOVED }
    return address === null ? removal : { ...removal, address }
  }
  /** If it is undone, the numbers are those of domains that exist. */
  const remove = <T>(work: () => T): T => {
    try {
      return db.transaction(work)
    } catch (error) {
      removedDomains = undefined
      throw error
    }
  }
  return {
    async removeTenant(tenantId, removal) {
      return remove(() => {
        if (!db.get('SELECT 1 FROM tenant WHERE id = ?', tenantId)) return undefined
        const numbers = db.allArrays<[number]>(
          'SELECT number FROM domain WHERE tenant_id = ? ORDER BY number',
          tenantId,
        )
        for (const table of ['key_session', 'saved_view']) {
          db.run(`DELETE FROM ${table} WHERE key_id IN (SELECT id FROM api_key WHERE tenant_id = ?)`, tenantId)
        }
        db.run('DELETE FROM api_key WHERE tenant_id = ?', tenantId)
        db.run('DELETE FROM domain WHERE tenant_id = ?', tenantId)
        db.run('DELETE FROM tenant WHERE id = ?', tenantId)
        return insert(
          removal,
          'tenant',
          tenantId,
          numbers.map(([number]) => number),
        )
      })
    },
    async removeDomain(domainId, removal) {
      return remove(() => {
        const domain = db.get<{ number: number; name: string }>(
          'DELETE FROM domain WHERE id = ? RETURNING number, name',
          domainId,
        )
        return domain && insert(removal, 'domain', domain.name, [domain.number])
      })
    },
    addRecipient: async (address, object, removal) =>
      db.transaction(() => insert(removal, 'recipient', object, [], address)),
    async find(id) {
      const row = db.get<RemovalRow>(`${SELECT} WHERE id = ?`, id)
      return row && toRemoval(row)
    },
    list: async (limit) => db.all<RemovalRow>(`${SELECT} ORDER BY id DESC LIMIT ?`, limit).map(toRemoval),
    listUnfinished: async () => db.all<RemovalRow>(`${SELECT} WHERE finished_at_ms IS NULL ORDER BY id`).map(toRemoval),
    async save(id, { stage, position = null, result }) {
      db.run(SAVE, stage, position, JSON.stringify(result), id)
      if (stage === 'scrub') scrub.noteDeletion()
    },
    scrub: async () => scrub.run(),
    async finish(id, nowMs) {
      db.transaction(() => {
        const row = db.get<RemovalRow>(`${SELECT} WHERE id = ?`, id)
        // Retention may have folded a day meanwhile.
        for (const number of row ? toRemoval(row).domainNumbers : [])
          db.run('DELETE FROM total WHERE domain_number = ?', number)
        db.run('UPDATE removal SET finished_at_ms = coalesce(finished_at_ms, ?) WHERE id = ?', nowMs, id)
      })
    },
    isRemovedDomain(number) {
      removedDomains ??= listRemoved()
      return removedDomains.has(number)
    },
  }
}
