/** What the watch over DNS is doing, and the buttons to end and begin it. */
import { Button } from '../../kit/button.tsx'
import { formatDuration } from '../../kit/text/format.ts'
import { useNow } from '../../kit/text/time.tsx'
import type { DnsWatch } from './use-dns-watch.ts'

export function WatchLine({ watch: { state, nextAtMs, stop, resume } }: { readonly watch: DnsWatch }) {
  const nowMs = useNow(1000)
  if (state === 'off') return null
  const seconds = nextAtMs === undefined ? undefined : Math.max(1, Math.ceil((nextAtMs - nowMs) / 1000))
  return (
    <p className="row wrap small muted watch-line">
      <span className="watch-state" data-state={state}>
        {state === 'checking' && 'Checking DNS…'}
        {state === 'waiting' && `Watching DNS. ${seconds ? `Next check in ${formatDuration(seconds * 1000)}.` : ''}`}
        {state === 'over' && 'No longer watching. The domain is also checked automatically, less often.'}
      </span>
      {state === 'over' ? (
        <Button look="quiet" onClick={resume}>
          Watch again
        </Button>
      ) : (
        <Button look="quiet" onClick={stop}>
          Stop watching
        </Button>
      )}
    </p>
  )
}
