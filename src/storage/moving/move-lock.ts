/** One move at a time: a second one would do the same work again, and give other advice about the old server. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import { LOCKS } from '../postgres/database/locks.ts'
import type { Postgres } from '../postgres/database/postgres.ts'

/** PostgreSQL needs a moment to notice that a process was killed. */
const WAIT_MS = 5000
const PAUSE_MS = 200
/** A machine that vanished is noticed after about a minute. Otherwise the session may be silent for hours. */
const SESSION = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  idle_session_timeout: 0,
}
/** Some proxies end connections that are silent. */
const SIGN_OF_LIFE_MS = 30_000

/** Until the result is disposed of. Throws AppError `conflict` while another process has it. */
export async function lockMove(db: Postgres, waitMs = WAIT_MS): Promise<Disposable> {
  const session = await db.openSession(SESSION)
  try {
    for (const deadline = performance.now() + waitMs; ; await delay(PAUSE_MS)) {
      if ((await session.number(`SELECT pg_try_advisory_lock(${LOCKS.move})::int`)) === 1) break
      if (performance.now() < deadline) continue
      throw new AppError(
        'conflict',
        'Another migrate-storage is already moving an installation into this PostgreSQL database. Wait until it has finished, or stop it.',
      )
    }
  } catch (error) {
    session.close()
    throw error
  }
  const timer = setInterval(() => void session.run('SELECT 1').catch(() => undefined), SIGN_OF_LIFE_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      session.close()
    },
  }
}
