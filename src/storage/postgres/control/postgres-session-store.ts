/** Ended sessions in PostgreSQL. */
import { isDeepStrictEqual } from 'node:util'
import { type EndedSession, type KeySessions, NO_SESSIONS, type SessionStore } from '../../../tenants/session-store.ts'
import type { Postgres } from '../database/postgres.ts'

type Row = { readonly epoch: number; readonly ended: string }

const SELECT = 'SELECT epoch, ended FROM key_session WHERE key_id = $1'
/** A row to be locked, whether or not there was one. */
const ENSURE = `INSERT INTO key_session (key_id, epoch, ended) VALUES ($1, 0, '[]') ON CONFLICT (key_id) DO NOTHING`
const UPDATE = 'UPDATE key_session SET epoch = $2, ended = $3 WHERE key_id = $1'

export function createSessionStore(db: Postgres): SessionStore {
  return {
    findSessions: async (keyId) => toSessions(await db.get<Row>(SELECT, keyId)),
    async saveSessions(keyId, before, { epoch, ended }) {
      return db.transaction(async (statements) => {
        await statements.run(ENSURE, keyId)
        const row = await statements.get<Row>(`${SELECT} FOR UPDATE`, keyId)
        if (!isDeepStrictEqual(toSessions(row), before)) return false
        await statements.run(UPDATE, keyId, epoch, JSON.stringify(ended))
        return true
      })
    },
  }
}

/** JSON is trusted on reading: only this store writes it, from values of the same type. */
function toSessions(row: Row | undefined): KeySessions {
  return row ? { epoch: row.epoch, ended: JSON.parse(row.ended) as EndedSession[] } : NO_SESSIONS
}
