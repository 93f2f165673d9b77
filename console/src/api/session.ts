/** Who is signed in. The browser holds the cookie; the page holds the server's description of the session, never the key. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Session } from '../../../src/http/v1/session/session.wire.ts'
import { ApiError, request, setCsrfToken } from './request.ts'

export type { Session }
export type Principal = Session['principal']

const SESSION = ['session'] as const
/** The server's message, if a session ended without a sign-out. */
const ENDED = ['session', 'ended'] as const
/** In the browser's storage of this tab while somebody is signed in: after a reload, a 401 means that the session has ended. */
const MARK = 'envelog.session'

export const SessionContext = createContext<Session | undefined>(undefined)

/** For everything inside the frame, which is drawn only with a session. */
export function useCurrentSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useCurrentSession needs a SessionContext above it')
  return session
}

/** Whether the key may read this: a tenant's key with the scope, or an operator's that may read. */
export function useScope(scope: 'logs' | 'domains' | 'domainStats'): boolean {
  const { principal } = useCurrentSession()
  if (principal.kind === 'tenant') return principal.scopes.includes(scope)
  return principal.scopes.some((granted) => granted === 'read' || granted === 'admin')
}

/** Whether the signed-in tenant may add domains: its key has the scope, and the operator allows it. */
export function useAddsDomains(): boolean {
  return useCurrentSession().addsDomains
}

/** Whether an operator who may change things is signed in, not only one who may read. */
export function useIsAdmin(): boolean {
  const { principal } = useCurrentSession()
  return principal.kind === 'operator' && principal.scopes.includes('admin')
}

/** `undefined` while unknown, `null` if nobody is signed in. */
export function useSession() {
  return useQuery({
    queryKey: SESSION,
    queryFn: ({ client }) => fetchSession(client),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

async function fetchSession(client: QueryClient): Promise<Session | null> {
  try {
    return keep(await request<Session>('/v1/session'))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    if (sessionStorage.getItem(MARK) !== null) client.setQueryData(ENDED, error.message)
    return keep(null)
  }
}

function keep(session: Session | null): Session | null {
  setCsrfToken(session?.csrfToken)
  if (session) sessionStorage.setItem(MARK, '1')
  else sessionStorage.removeItem(MARK)
  return session
}

/** Why the last session ended; undefined if its user signed out, or there was none. */
export function useEndOfSession(): string | undefined {
  return useQuery<string>({ queryKey: ENDED, enabled: false, gcTime: Number.POSITIVE_INFINITY }).data
}

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (key: string) => request<Session>('/v1/session', { method: 'POST', body: { key } }),
    onSuccess: (session) => replaceSession(client, session),
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return async (): Promise<void> => {
    await request('/v1/session', { method: 'DELETE' })
    replaceSession(client, null)
  }
}

/** A 401 to any request means that the session has ended. */
export function endSessionOn401(client: QueryClient, error: unknown): void {
  if (error instanceof ApiError && error.status === 401) replaceSession(client, null, error.message)
}

/** Drops all cached answers: they belong to the previous session. */
function replaceSession(client: QueryClient, session: Session | null, ended?: string): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] })
  // Of several refused requests, the first one counts: the others may have been sent without a session.
  if (ended === undefined) client.removeQueries({ queryKey: ENDED })
  else if (client.getQueryData(SESSION)) client.setQueryData(ENDED, ended)
  client.setQueryData(SESSION, keep(session))
}
