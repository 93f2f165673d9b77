/** Who is signed in. The cookie is the browser's business; the page keeps what the server says about it, and no key. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../../src/http/v1/session.wire.ts'
import { ApiError, request, setCsrfToken } from './request.ts'

export type { Session }
export type Principal = Session['principal']

const SESSION = ['session'] as const

/** `undefined` while it is not known, `null` for nobody. */
export function useSession() {
  return useQuery({
    queryKey: SESSION,
    queryFn: fetchSession,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, error) => !(error instanceof ApiError && error.status > 0) && failures < 2,
  })
}

async function fetchSession(): Promise<Session | null> {
  try {
    return keep(await request<Session>('/v1/session'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return keep(null)
    throw error
  }
}

function keep(session: Session | null): Session | null {
  setCsrfToken(session?.csrfToken)
  return session
}

export function useSignIn() {
  const client = useQueryClient()
  return async (key: string): Promise<void> => {
    const session = await request<Session>('/v1/session', { method: 'POST', body: { key } })
    begin(client, session)
  }
}

export function useSignOut() {
  const client = useQueryClient()
  return async (): Promise<void> => {
    await request('/v1/session', { method: 'DELETE' })
    begin(client, null)
  }
}

/** After a 401 in the middle of things: the session has ended. */
export function endSession(client: QueryClient): void {
  begin(client, null)
}

/** Whoever is signed in now: what was shown to somebody else is none of his business. */
function begin(client: QueryClient, session: Session | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
  client.setQueryData(SESSION, keep(session))
}
