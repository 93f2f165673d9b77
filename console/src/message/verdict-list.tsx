/** Above the timeline: for each recipient in trouble what happened, who has to act, and whether others have the same. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Facets } from '../../../src/http/v1/log/facets.wire.ts'
import type { Message } from '../../../src/http/v1/log/messages.wire.ts'
import { useReading } from '../api/reading.ts'
import { HOUR_MS } from '../api/series.ts'
import { CopyButton } from '../kit/copy-button.tsx'
import { formatCount, formatFull } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { filterParams, logLink } from '../search/log-search.ts'
import { listVerdicts, nextAttemptOf, sameAnswer, type Verdict, writeAnswer } from './verdicts.ts'

/** Of a mailing, the others are in the timeline. */
const SHOWN_MAX = 5

export function VerdictList({ message }: { readonly message: Message }) {
  const troubles = listVerdicts(message).filter(({ isTrouble }) => isTrouble)
  if (troubles.length === 0) return null
  const more = troubles.length - SHOWN_MAX
  return (
    <ul className="stack gap-12 verdicts" aria-label="Verdict">
      {troubles.slice(0, SHOWN_MAX).map((verdict) => (
        <VerdictItem key={verdict.event.recipient} message={message} verdict={verdict} />
      ))}
      {more > 0 && <li className="muted small">And {formatCount(more)} more recipients, in the timeline.</li>}
    </ul>
  )
}

function VerdictItem({ message, verdict }: { readonly message: Message; readonly verdict: Verdict }) {
  const { event, headline } = verdict
  const nextMs = nextAttemptOf(message, verdict, Date.now())
  const provider = event.provider_name ? ` (${event.provider_name})` : ''
  return (
    <li className="stack gap-4 verdict">
      <h3 className="foreign">
        {headline}: <bdi>{printable(`${event.recipient}${provider}`)}</bdi>
      </h3>
      <p>{printable(event.explanation)}</p>
      {nextMs !== undefined && <p>Next attempt: {formatFull(nextMs)}.</p>}
      <div className="row wrap gap-12">
        <CopyButton label="Copy text for a reply" text={() => writeAnswer(message, verdict, nextMs)} hasLabel />
        {event.response_code !== undefined && <SameAnswer verdict={verdict} />}
      </div>
    </li>
  )
}

function SameAnswer({ verdict }: { readonly verdict: Verdict }) {
  const filters = sameAnswer(verdict)
  // Whole hours, so that the question stays the same while the panel is open.
  const fromMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 24 * HOUR_MS
  const params = filterParams({ q: '', filters })
  params.set('from', new Date(fromMs).toISOString())
  const { pathOf } = useReading()
  const { data } = useQuery<Facets>({ queryKey: [pathOf('/events/facets', params)], staleTime: HOUR_MS })
  const own = verdict.event.timestamp * 1000 >= fromMs ? 1 : 0
  const others = (data?.total ?? 0) - own
  if (!data || others <= 0) return null
  return (
    <Link className="small in-text" href={logLink({ filters, window: { last: '24h' } })}>
      {data.isExact ? '' : '≈ '}
      {formatCount(others)} more with this response in the last 24 hours
    </Link>
  )
}
