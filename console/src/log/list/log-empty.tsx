/** An empty log: nothing matches, or no event has arrived yet, with the command that sends the first one. */
import { Link } from 'wouter'
import { useDomains } from '../../api/domains.ts'
import { useAddsDomains } from '../../api/session.ts'
import { firstEventCommand } from '../../domains/setup/first-event-command.ts'
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

/** What this reader can do about it: without a domain, or with one that is not proven yet, there can be no events. */
function FirstEvent() {
  const { data } = useDomains()
  const addsDomains = useAddsDomains()
  const domains = data?.domains
  const usable = domains?.find(({ proven }) => proven)
  if (domains && !usable) {
    const [waiting] = domains
    return (
      <Empty icon="log" title="No events yet">
        {waiting ? (
          <p>
            Events of <Link href={`/domains/${encodeURIComponent(waiting.name)}`}>{waiting.name}</Link> are accepted as
            soon as its DNS records are found.
          </p>
        ) : (
          <p>
            Events belong to a domain, and there is none yet.{' '}
            <Link href="/domains">{addsDomains ? 'Add a domain' : 'How to get a domain'}</Link>
          </p>
        )}
      </Empty>
    )
  }
  const command = firstEventCommand(usable?.name ?? 'example.com')
  return (
    <Empty icon="log" title="No events yet">
      <p>
        Events appear here as soon as a mail server sends them, with a key that has the scope <code>ingest</code>. Ask
        the operator for such a key if you run the mail server. To send a first event by hand:
      </p>
      <pre className="code-block">{command}</pre>
      <CopyButton text={command} label="Copy command" hasLabel />
    </Empty>
  )
}
