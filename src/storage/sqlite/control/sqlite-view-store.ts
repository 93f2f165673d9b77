/** Saved views in SQLite. */
import type { SavedView, ViewStore } from '../../../tenants/view-store.ts'
import type { Database } from '../database/database.ts'

const LIST = 'SELECT name, query, saved_at_ms AS savedAtMs FROM saved_view WHERE key_id = ? ORDER BY name'
const OTHERS = 'SELECT count(*) AS count FROM saved_view WHERE key_id = ? AND name <> ? AND name <> ?'
const REMOVE = 'DELETE FROM saved_view WHERE key_id = ? AND name = ?'
const UPSERT = `
  INSERT INTO saved_view (key_id, name, query, saved_at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (key_id, name) DO UPDATE SET query = excluded.query, saved_at_ms = excluded.saved_at_ms`
const REMOVE_WITH =
  'DELETE FROM saved_view WHERE instr(lower(query), lower(?1)) > 0 OR instr(lower(name), lower(?1)) > 0'

export function createViewStore(db: Database): ViewStore {
  return {
    listViews: async (keyId) => db.all<Pick<SavedView, keyof SavedView>>(LIST, keyId).map((view) => ({ ...view })),
    async saveView(keyId, { name, query, savedAtMs }, viewsMax, replaces = name) {
      return db.transaction(() => {
        if (!db.get('SELECT 1 FROM api_key WHERE id = ? AND revoked_at_ms IS NULL', keyId)) return 'no_key'
        if (db.number(OTHERS, keyId, name, replaces) >= viewsMax) return 'full'
        db.run(REMOVE, keyId, replaces)
        db.run(UPSERT, keyId, name, query, savedAtMs)
        return 'saved'
      })
    },
    removeView: async (keyId, name) => db.run(REMOVE, keyId, name).changes > 0,
    removeViewsWith: async (texts) =>
      db.transaction(() => texts.reduce((sum, text) => sum + Number(db.run(REMOVE_WITH, text).changes), 0)),
  }
}
