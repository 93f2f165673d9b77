/** Ended sessions in SQLite: one row per key. */
import { isDeepStrictEqual } from 'node:util'
import { type EndedSession, type KeySessions, NO_SESSIONS, type SessionStore } from '../../../tenants/session-store.ts'
import type { Database } from '../database/database.ts'

const SELECT = 'SELECT epoch, ended FROM key_session WHERE key_id = ?'
const UPSERT = `
  INSERT INTO key_session (key_id, epoch, ended) VALUES (?, ?, ?)
  ON CONFLICT (key_id) DO UPDATE SET epoch = excluded.epoch, ended = excluded.ended`

export function createSessionStore(db: Database): SessionStore {
  const find = (keyId: string): KeySessions => {
    const row = db.get<{ epoch: number; ended: string }>(SELECT, keyId)
    // Trusted on reading: only this store writes it, from values of the same type.
    return row ? { epoch: row.epoch, ended: JSON.parse(row.ended) as EndedSession[] } : NO_SESSIONS
  }
  return {
    findSessions: async (keyId) => find(keyId),
    async saveSessions(keyId, before, { epoch, ended }) {
      return db.transaction(() => {
        if (!isDeepStrictEqual(find(keyId), before)) return false
        db.run(UPSERT, keyId, epoch, JSON.stringify(ended))
        return true
      })
    },
  }
}
