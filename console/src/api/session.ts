/** Who is signed in. The cookie is the browser's business; the page keeps what the server says about it, and no key. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
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
    client.clear()
    client.setQueryData(SESSION, keep(session))
  }
}

export function useSignOut() {
  const client = useQueryClient()
  return async (): Promise<void> => {
    await request('/v1/session', { method: 'DELETE' })
    client.clear()
    client.setQueryData(SESSION, keep(null))
  }
}

/** After a 401 in the middle of things: the session has ended, and what it showed is nobody's business any more. */
export function endSession(client: ReturnType<typeof useQueryClient>): void {
  client.setQueryData(SESSION, keep(null))
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
}
