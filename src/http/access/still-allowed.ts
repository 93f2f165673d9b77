/** Whether the caller of a long response may still have it: keys are revoked and sessions end while it is sent. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { authenticateById } from '../../tenants/authenticate.ts'
import { LOCAL_OPERATOR } from '../../tenants/principal.ts'
import type { AdministrationDeps } from '../app-deps.ts'
import { keyDepsOf } from './key-deps.ts'

type Deps = Pick<AdministrationDeps, 'storage' | 'keyUses' | 'clock' | 'sessions' | 'logger' | 'metrics'>
type Caller = Pick<FastifyRequest, 'principal' | 'session' | 'ip'>

/** Cheap enough for every page or event: both are answered from memory. */
export async function isStillAllowed(deps: Deps, { principal, session, ip }: Caller): Promise<boolean> {
  if (principal === LOCAL_OPERATOR) return true
  if (!principal || (session && !(await deps.sessions.isLive(session)))) return false
  try {
    await authenticateById(keyDepsOf(deps), principal.keyId, ip)
    return true
  } catch (error) {
    if (error instanceof AppError && ['unauthenticated', 'tenant_suspended'].includes(error.code)) return false
    throw error
  }
}

/** Passes pieces on. Throws as soon as the caller is no longer allowed: the connection breaks, and the client sees an incomplete response. */
export async function* whileAllowed<T>(deps: Deps, request: Caller, pieces: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if (!(await isStillAllowed(deps, request))) {
      throw new AppError(
        'unauthenticated',
        'The key was revoked, the tenant suspended or the session ended while the response was sent',
      )
    }
    yield piece
  }
}
