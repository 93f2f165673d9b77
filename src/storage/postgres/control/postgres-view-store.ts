/** Saved views in PostgreSQL. */
import type { SavedView, ViewStore } from '../../../tenants/view-store.ts'
import type { Postgres } from '../database/postgres.ts'

const LIST = 'SELECT name, query, saved_at_ms AS "savedAtMs" FROM saved_view WHERE key_id = $1 ORDER BY name'
/** Locked, so that neither a revocation nor another view comes in between. */
const LOCK_KEY = 'SELECT 1 FROM api_key WHERE id = $1 AND revoked_at_ms IS NULL FOR UPDATE'
const OTHERS = 'SELECT count(*) AS count FROM saved_view WHERE key_id = $1 AND name <> $2 AND name <> $3'
const REMOVE = 'DELETE FROM saved_view WHERE key_id = $1 AND name = $2'
const UPSERT = `
  INSERT INTO saved_view (key_id, name, query, saved_at_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (key_id, name) DO UPDATE SET query = excluded.query, saved_at_ms = excluded.saved_at_ms`
const REMOVE_WITH = `
  DELETE FROM saved_view
  WHERE strpos(lower(query COLLATE "C"), lower($1 COLLATE "C")) > 0 OR strpos(lower(name), lower($1 COLLATE "C")) > 0`

export function createViewStore(db: Postgres): ViewStore {
  return {
    listViews: (keyId) => db.all<SavedView>(LIST, keyId),
    async saveView(keyId, { name, query, savedAtMs }, viewsMax, replaces = name) {
      return db.transaction(async (statements) => {
        if (!(await statements.get(LOCK_KEY, keyId))) return 'no_key'
        const others = await statements.get<{ count: number }>(OTHERS, keyId, name, replaces)
        if (Number(others?.count ?? 0) >= viewsMax) return 'full'
        await statements.run(REMOVE, keyId, replaces)
        await statements.run(UPSERT, keyId, name, query, savedAtMs)
        return 'saved'
      })
    },
    removeView: async (keyId, name) => (await db.run(REMOVE, keyId, name)) > 0,
    async removeViewsWith(texts) {
      let removed = 0
      for (const text of texts) removed += await db.run(REMOVE_WITH, text)
      return removed
    },
  }
}
