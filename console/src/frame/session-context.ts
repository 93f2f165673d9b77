/** The session, for everything inside of the frame. */
import { createContext, useContext } from 'react'
import type { Session } from '../api/session.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

export function useCurrentSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('this part of the page is for those who are signed in')
  return session
}

/** Whether the key may see a tenant's part of the interface. */
export function useScope(scope: 'logs' | 'domains' | 'domainStats'): boolean {
  const { principal } = useCurrentSession()
  return principal.kind === 'tenant' && principal.scopes.includes(scope)
}
