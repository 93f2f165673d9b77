/** An empty log: nothing matches, or no event has arrived yet, with the command that sends the first one. */
import { useDomains } from '../../api/domains.ts'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy-button.tsx'
import { Empty } from '../../kit/states.tsx'
import { isFiltered } from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'

export function LogEmpty() {
  const [search, onChange] = useLogSearch()
  const hasFilters = isFiltered(search)
  const isWholeLog = 'last' in search.window && search.window.last === 'all'
  if (!hasFilters && isWholeLog) return <FirstEvent />
  return (
    <Empty icon="search" title={hasFilters ? 'No matching events' : 'No events in this time range'}>
      <p>
        {hasFilters
          ? 'Text filters match any part of an address or subject. Remove a filter or choose a longer time range.'
          : 'Choose a longer time range, or follow new events as they arrive.'}
      </p>
      <div className="row wrap empty-actions">
        {!isWholeLog && (
          <Button onClick={() => onChange({ ...search, window: { last: 'all' } })}>Search all retained events</Button>
        )}
        {hasFilters && <Button onClick={() => onChange({ ...search, q: '', filters: {} })}>Remove all filters</Button>}
      </div>
    </Empty>
  )
}

function FirstEvent() {
  const { data } = useDomains()
  const domain = data?.domains[0]?.name ?? 'example.com'
  const command = `curl -H "Authorization: $INGEST_KEY" ${location.origin}/ingest/events -d '{
  "id": "${crypto.randomUUID()}", "timestamp": '$(date +%s)', "type": "Delivery",
  "domain_name": "${domain}", "recipient": "anna@example.org", "subject": "Hello", "response_code": 250}'`
  return (
    <Empty icon="log" title="No events yet">
      <p>
        Mail servers send events with an operator key that has the scope <code>ingest</code>. To send a first event by
        hand:
      </p>
      <pre className="code-block">{command}</pre>
      <CopyButton text={command} label="Copy command" hasLabel />
    </Empty>
  )
}
