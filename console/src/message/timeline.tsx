/** What happened to a message: each event a dot on a line, with the time since the one before and the server's own words. */
import type { Message, TimelineEvent } from '../../../src/http/v1/messages.wire.ts'
import { EVENT_KINDS } from '../kit/event-kinds.ts'
import { TypeGlyph } from '../kit/event-type.tsx'
import { formatClock, formatDayOfMonth, formatDuration, formatExact, formatUtc } from '../kit/format.ts'
import { printable, printableLines } from '../kit/printable.ts'

export function Timeline({ message }: { readonly message: Message }) {
  const hasSeveral = message.recipients.length > 1
  return (
    <ol className="timeline" aria-label="What happened, oldest first">
      {message.events.map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the events of a message are added to at the end alone
        <Step key={index} event={event} hasSeveral={hasSeveral} />
      ))}
    </ol>
  )
}

function Step({ event, hasSeveral }: { readonly event: TimelineEvent; readonly hasSeveral: boolean }) {
  const { type, timestamp, sincePreviousMs, explanation, isMachine = false } = event
  const { label, tone } = EVENT_KINDS[type]
  const timeMs = timestamp * 1000
  return (
    <li className={`step tone-${tone}`} data-machine={isMachine}>
      <div className="step-dot">
        <TypeGlyph type={type} />
      </div>
      <div className="step-body">
        <div className="step-head">
          <strong className="step-type">{label}</strong>
          <Codes event={event} />
          {isMachine && <span className="muted">by a machine</span>}
          <span className="step-when">
            {sincePreviousMs !== null && (
              <span className="step-gap">+{sincePreviousMs === 0 ? '0 s' : formatDuration(sincePreviousMs)}</span>
            )}
            <time dateTime={formatUtc(timeMs)} title={formatExact(timeMs)}>
              {formatDayOfMonth(timeMs)} {formatClock(timeMs)}
            </time>
          </span>
        </div>
        {hasSeveral && (
          <p className="foreign">
            <bdi>{printable(event.recipient)}</bdi>
          </p>
        )}
        <p className="step-words foreign">{printable(explanation)}</p>
        {event.response_content && <pre className="step-answer foreign">{printableLines(event.response_content)}</pre>}
        <Details event={event} />
      </div>
    </li>
  )
}

function Codes({ event }: { readonly event: TimelineEvent }) {
  const codes = [event.response_code, event.response_enhanced_code].filter((code) => code !== undefined && code !== '')
  if (codes.length === 0) return null
  return <code className="step-code">{codes.map((code) => printable(String(code))).join(' ')}</code>
}

/** How it was done, as far as it is known. */
function Details({ event }: { readonly event: TimelineEvent }) {
  const details: readonly (readonly [string, string | undefined])[] = [
    ['Attempt', event.attempt === null ? undefined : String(event.attempt)],
    ['Peer', event.peer_name],
    ['TLS', [event.tls_protocol_version, event.tls_cipher].filter(Boolean).join(' ') || undefined],
    ['Protocol', event.delivery_protocol ?? event.reception_protocol],
    ['Reason', event.bounce_classification],
  ]
  const known = details.filter(([, value]) => value)
  if (known.length === 0) return null
  return (
    <dl className="step-details">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="foreign">
            <bdi>{printable(value ?? '')}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
