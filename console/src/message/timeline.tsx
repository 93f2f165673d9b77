/** The events of a message on a line: the time since the previous one, an explanation, and the server's reply. */
import type { Message, TimelineEvent } from '../../../src/http/v1/log/messages.wire.ts'
import { EVENT_KINDS } from '../kit/marks/event-kinds.ts'
import { TypeGlyph } from '../kit/marks/event-type.tsx'
import {
  formatClock,
  formatDayOfMonth,
  formatDuration,
  formatExact,
  formatFull,
  formatUtc,
} from '../kit/text/format.ts'
import { printable, printableLines } from '../kit/text/printable.ts'
import { ValueMenu } from '../search/value-menu.tsx'
import { type Fact, Facts } from './facts.tsx'

export function Timeline({ message }: { readonly message: Message }) {
  const hasSeveral = message.recipients.length > 1
  return (
    <ol aria-label="Timeline, oldest event first">
      {message.events.map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end
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
    <li className={`stack gap-12 step tone-${tone}`} data-machine={isMachine}>
      <div className="step-dot">
        <TypeGlyph type={type} />
      </div>
      <div className="stack gap-4 step-body">
        <div className="row wrap step-head">
          <strong className="step-type">{label}</strong>
          <Codes event={event} />
          {isMachine && <span className="muted">by a machine</span>}
          <span className="push gap-12 muted step-when">
            {sincePreviousMs !== null && (
              <span className="soft">+{sincePreviousMs === 0 ? '0 s' : formatDuration(sincePreviousMs)}</span>
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
        <p className="soft foreign">{printable(explanation)}</p>
        {event.response_content && (
          <pre className="step-response foreign">{printableLines(event.response_content)}</pre>
        )}
        {event.reply !== undefined && (
          <div className="small">
            <ValueMenu name="reply" value={event.reply}>
              Events with this response
            </ValueMenu>
          </div>
        )}
        <Facts className="row wrap small step-details" facts={listDetails(event)} />
      </div>
    </li>
  )
}

function Codes({ event }: { readonly event: TimelineEvent }) {
  const codes = [event.response_code, event.response_enhanced_code].filter((code) => code !== undefined && code !== '')
  if (codes.length === 0) return null
  const text = <code>{codes.map((code) => printable(String(code))).join(' ')}</code>
  if (event.response_code === undefined) return text
  return (
    <ValueMenu name="code" value={String(event.response_code)}>
      {text}
    </ValueMenu>
  )
}

function listDetails(event: TimelineEvent): readonly Fact[] {
  return [
    ['Attempt', event.attempt === null ? undefined : String(event.attempt)],
    ['Next attempt', event.next_attempt === undefined ? undefined : formatFull(event.next_attempt * 1000)],
    ['Peer', event.peer_name],
    ['TLS', [event.tls_protocol_version, event.tls_cipher].filter(Boolean).join(' ')],
    ['Protocol', event.delivery_protocol ?? event.reception_protocol],
    ['Reason', event.bounce_classification, 'classification'],
    ['Action by', NAME_OF_ACTOR[event.actor]],
    ['Sent from', [event.sending_address, event.sending_source, event.sending_pool].filter(Boolean).join(' ')],
  ]
}

const NAME_OF_ACTOR: Readonly<Record<TimelineEvent['actor'], string | undefined>> = {
  sender: 'sender',
  operator: 'operator',
  receiver: 'receiver',
  nobody: undefined,
}
