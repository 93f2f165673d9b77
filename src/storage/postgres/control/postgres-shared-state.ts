/** What the servers of an installation agree on, in PostgreSQL: settings and leases. A lease is a setting with its holder and its end. */
import { randomUUID } from 'node:crypto'
import type { LeaseStore, SettingStore, SharedState } from '../../../lib/shared-state.ts'
import type { Postgres } from '../database/postgres.ts'

interface SettingRow {
  readonly value: Uint8Array
}

/** PostgreSQL's clock, in milliseconds. */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const CLAIM = `
  INSERT INTO setting (name, value) VALUES ($1, convert_to($2::text || ' ' || ${NOW_MS} + $3::bigint, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
  WHERE split_part(convert_from(setting.value, 'UTF8'), ' ', 1) = $2::text
    OR split_part(convert_from(setting.value, 'UTF8'), ' ', 2)::bigint < ${NOW_MS}`
const RELEASE = `
  DELETE FROM setting WHERE name = $1 AND split_part(convert_from(value, 'UTF8'), ' ', 1) = $2::text`

export function createSharedState(db: Postgres): SharedState {
  return {
    settings: createSettingStore(db),
    leases: createLeaseStore(db),
    async readClock() {
      const row = await db.get<{ readonly now: number }>(`SELECT ${NOW_MS}::float8 AS now`)
      if (!row) throw new Error('PostgreSQL returned no time')
      return row.now
    },
  }
}

function createSettingStore(db: Postgres): SettingStore {
  const find = async (name: string) => {
    const row = await db.get<SettingRow>('SELECT value FROM setting WHERE name = $1', name)
    return row && Buffer.from(row.value)
  }
  return {
    find,
    async findOrCreate(name, value) {
      await db.run('INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', name, value)
      return (await find(name)) ?? Buffer.from(value)
    },
    replace: async (name, value, before) =>
      (await db.run('UPDATE setting SET value = $2 WHERE name = $1 AND value = $3', name, value, before)) === 1,
  }
}

function createLeaseStore(db: Postgres): LeaseStore {
  const self = randomUUID()
  return {
    claim: async (name, forMs) => (await db.run(CLAIM, `lease of ${name}`, self, Math.round(forMs))) === 1,
    release: async (name) => void (await db.run(RELEASE, `lease of ${name}`, self)),
  }
}
