/** The newest event of a domain, watched until there is one. Pauses while the page is hidden. */
import { useQuery } from '@tanstack/react-query'
import type { EventsPage, LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { useScope } from '../../api/session.ts'

const POLL_MS = { first: 3000, later: 20_000 } as const
/** Five minutes, then about two hours. */
const POLLS = { first: 100, max: 460 } as const

/** Undefined while unknown or without the scope for it, null if there is none yet. */
export function useFirstEvent(domain: string, isProven: boolean): LogEvent | null | undefined {
  const canRead = useScope('logs')
  const params = new URLSearchParams({ domain, limit: '1' })
  const { data } = useQuery<EventsPage>({
    queryKey: [`/v1/events?${params}`, 'first event'],
    enabled: canRead && isProven,
    refetchInterval({ state }) {
      if ((state.data?.events.length ?? 0) > 0 || state.dataUpdateCount >= POLLS.max) return false
      return state.dataUpdateCount < POLLS.first ? POLL_MS.first : POLL_MS.later
    },
  })
  if (!canRead) return undefined
  if (!isProven) return null
  return data && (data.events[0] ?? null)
}
