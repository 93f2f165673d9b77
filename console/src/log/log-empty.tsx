/** A log without rows: either nothing matches, or nothing has come in yet, and then how to send the first event. */
import { useQuery } from '@tanstack/react-query'
import type { DomainSummaries } from '../../../src/http/v1/domains.wire.ts'
import { request } from '../api/request.ts'
import { useScope } from '../frame/session-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Empty } from '../kit/states.tsx'
import { type LogSearch, parseLogSearch } from './log-search.ts'
import type { ChangeSearch } from './use-log-search.ts'

interface LogEmptyProps {
  readonly search: LogSearch
  readonly isNarrowed: boolean
  readonly onChange: ChangeSearch
}

export function LogEmpty({ search, isNarrowed, onChange }: LogEmptyProps) {
  const isWidest = 'last' in search.window && search.window.last === 'all'
  if (!isNarrowed && isWidest) return <NothingYet />
  return (
    <Empty icon="search" title={isNarrowed ? 'No event matches' : 'No events in this window'}>
      <p>
        {isNarrowed
          ? 'Text filters look for a part of the address or subject, as it is written. Take one away, or look further back.'
          : 'Look further back, or follow new events as they come in.'}
      </p>
      <div className="empty-actions">
        {!isWidest && (
          <Button onClick={() => onChange({ ...search, window: { last: 'all' } })}>
            Look through all that is kept
          </Button>
        )}
        {isNarrowed && (
          <Button onClick={() => onChange({ ...parseLogSearch(''), window: search.window })}>Remove all filters</Button>
        )}
      </div>
    </Empty>
  )
}

/** Empty states teach. */
function NothingYet() {
  const canList = useScope('domains')
  const { data } = useQuery({
    queryKey: ['domains'],
    queryFn: ({ signal }) => request<DomainSummaries>('/v1/domains', { signal }),
    enabled: canList,
  })
  const domain = data?.domains[0]?.name ?? 'example.com'
  const command = `curl -H "Authorization: $INGEST_KEY" ${location.origin}/ingest/events -d '{
  "id": "${crypto.randomUUID()}", "timestamp": '$(date +%s)', "type": "Delivery",
  "domain_name": "${domain}", "recipient": "anna@example.org", "subject": "Hello", "response_code": 250}'`
  return (
    <Empty icon="log" title="No events yet">
      <p>
        Your sending platform hands them over with an operator’s key of the scope <code>ingest</code>. The first one by
        hand:
      </p>
      <pre className="code-block">{command}</pre>
      <CopyButton text={command} label="Copy command" isWordy />
    </Empty>
  )
}
