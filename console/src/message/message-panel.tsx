/** The panel of one message: sender, recipients, and everything that happened to it. */
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../src/http/v1/log/messages.wire.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { ApiError } from '../api/request.ts'
import { isSomethingOpen } from '../frame/use-global-keys.ts'
import { Button, IconButton } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { formatBytes, formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { logLink } from '../search/log-search.ts'
import { type Fact, Facts } from './facts.tsx'
import { OUTCOMES } from './outcomes.ts'
import { Owner } from './owner.tsx'
import { Timeline } from './timeline.tsx'
import { VerdictList } from './verdict-list.tsx'
import './message-panel.css'

interface MessagePanelProps {
  readonly id: string
  readonly domain: string | undefined
  readonly onClose: () => void
}

const MAX_RECIPIENTS = 3
const UNFINISHED: readonly string[] = ['received', 'deferred']

export function MessagePanel({ id, domain, onClose }: MessagePanelProps) {
  const panel = useRef<HTMLElement>(null)
  const { tenantId, pathOf } = useReading()
  const { data, error, isPending, refetch } = useQuery<Message>({
    queryKey: [
      pathOf(`/messages/${encodeURIComponent(id)}`, domain === undefined ? '' : new URLSearchParams({ domain })),
    ],
    refetchInterval: ({ state }) => (UNFINISHED.includes(state.data?.outcome ?? '') ? 15_000 : false),
  })
  usePanelFocus(panel, onClose)
  return (
    <aside ref={panel} className="column message" aria-label="Message" tabIndex={-1}>
      <header className="row gap-2 message-bar">
        <span className="grow truncate soft medium message-bar-title">Message</span>
        <CopyButton label="Copy ID" text={id} hasLabel />
        <CopyButton
          label="Copy link"
          text={() => location.origin + baseOf(tenantId) + logLink({ message: id, messageDomain: domain })}
          hasLabel
        />
        {data && <CopyButton label="Copy JSON" text={() => JSON.stringify(data, null, 2)} hasLabel />}
        <IconButton icon="close" label="Close (Esc)" onClick={onClose} />
      </header>
      <div className="inset-focus message-body" tabIndex={0} role="region" aria-label="Message details">
        {isPending && <Skeleton lines={8} />}
        {error instanceof ApiError && error.status === 404 ? (
          <Empty icon="search" title="Message not found">
            <p>Its events may be older than the retention period, or it belongs to another tenant.</p>
          </Empty>
        ) : (
          error && <Failure what="Could not load the message" error={error} onRetry={refetch} />
        )}
        {data && <MessageBody message={data} />}
      </div>
    </aside>
  )
}

function MessageBody({ message }: { readonly message: Message }) {
  const { label, tone, sentence } = OUTCOMES[message.outcome]
  return (
    <>
      <div className="stack gap-6 message-head">
        <span className={`badge tone-${tone}`}>{label}</span>
        <Subject text={printable(message.subject ?? '') || 'No subject'} />
        <p className="muted">{sentence(message)}</p>
        <Owner id={message.id} domain={message.domain} />
      </div>
      <VerdictList message={message} />
      <Facts className="stack gap-4 small facts" facts={listFacts(message)} />
      <Timeline message={message} />
    </>
  )
}

/** From here on, a subject is shortened until somebody wants to see all of it. */
const LONG_SUBJECT = 160

function Subject({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(text.length <= LONG_SUBJECT)
  return (
    <>
      <h2 dir="auto" className={`message-subject foreign ${isWhole ? '' : 'clamped'}`}>
        <bdi>{text}</bdi>
      </h2>
      {text.length > LONG_SUBJECT && (
        <Button look="quiet" className="message-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show the whole subject'}
        </Button>
      )}
    </>
  )
}

function listFacts(message: Message): readonly Fact[] {
  const { header_from: from, sender, recipients, domain, size, campaign, id } = message
  const shown = recipients.slice(0, MAX_RECIPIENTS).join(', ')
  const more = recipients.length - MAX_RECIPIENTS
  return [
    ['From', from],
    ['To', more > 0 ? `${shown} and ${formatCount(more)} more` : shown],
    ['Envelope sender', sender === from ? null : sender],
    ['Domain', domain, 'domain'],
    ['Provider', message.events.findLast(({ peer_name: name }) => name !== undefined)?.provider_name, 'provider'],
    ['Campaign', campaign],
    ['Size', size === null ? null : formatBytes(size)],
    ['Message ID', id],
  ]
}

/** On narrow screens the panel covers the page: it takes the focus, and gives it back when it closes. */
function usePanelFocus(panel: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const before = document.activeElement
    if (panel.current && getComputedStyle(panel.current).position === 'fixed') panel.current.focus()
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isSomethingOpen()) return
      close.current()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      window.removeEventListener('keydown', onKeyDown)
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [panel])
}
