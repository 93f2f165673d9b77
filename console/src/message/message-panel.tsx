/** One message: who wrote to whom, and everything that happened, step by step. */
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef } from 'react'
import type { Message } from '../../../src/http/v1/messages.wire.ts'
import { ApiError, request } from '../api/request.ts'
import { isSomethingOpen } from '../frame/use-global-keys.ts'
import { IconButton } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { formatBytes, formatCount } from '../kit/format.ts'
import { printable } from '../kit/printable.ts'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { logLink } from '../log/log-search.ts'
import { OUTCOMES } from './outcomes.ts'
import { Timeline } from './timeline.tsx'
import './message-panel.css'

interface MessagePanelProps {
  readonly id: string
  readonly domain: string | undefined
  readonly onClose: () => void
}

const UNDER_WAY: readonly string[] = ['received', 'deferred']

export function MessagePanel({ id, domain, onClose }: MessagePanelProps) {
  const panel = useRef<HTMLElement>(null)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['message', id, domain],
    queryFn: ({ signal }) => request<Message>(messagePath(id, domain), { signal }),
    // What is still under way is looked at again.
    refetchInterval: ({ state }) => (UNDER_WAY.includes(state.data?.outcome ?? '') ? 15_000 : false),
    retry: (failures, cause) => !(cause instanceof ApiError && cause.status > 0) && failures < 2,
  })
  usePanelFocus(panel, onClose)
  return (
    <aside ref={panel} className="message" aria-label="Message" tabIndex={-1}>
      <header className="message-bar">
        <span className="message-bar-title">Message</span>
        <CopyButton label="Copy id" text={id} isWordy />
        <CopyButton
          label="Copy link"
          text={() => location.origin + logLink({ message: id, messageDomain: domain })}
          isWordy
        />
        {data && <CopyButton label="Copy JSON" text={() => JSON.stringify(data, null, 2)} isWordy />}
        <IconButton icon="close" label="Close (Esc)" onClick={onClose} />
      </header>
      <div className="message-body" tabIndex={0} role="region" aria-label="What is known about it">
        {isPending && <Skeleton lines={8} />}
        {error instanceof ApiError && error.status === 404 ? (
          <Empty icon="search" title="There is no such message">
            <p>It may be older than what is kept, or belong to somebody else.</p>
          </Empty>
        ) : (
          error && <Failure what="The message could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {data && <MessageBody message={data} />}
      </div>
    </aside>
  )
}

export function messagePath(id: string, domain: string | undefined): string {
  const query = domain === undefined ? '' : `?domain=${encodeURIComponent(domain)}`
  return `/v1/messages/${encodeURIComponent(id)}${query}`
}

function MessageBody({ message }: { readonly message: Message }) {
  const { label, tone, sentence } = OUTCOMES[message.outcome]
  return (
    <>
      <div className="message-head">
        <span className={`badge tone-${tone}`}>{label}</span>
        <h2 className="message-subject foreign">
          <bdi>{printable(message.subject ?? '') || 'No subject'}</bdi>
        </h2>
        <p className="muted">{sentence(message)}</p>
      </div>
      <Facts message={message} />
      <Timeline message={message} />
    </>
  )
}

function Facts({ message }: { readonly message: Message }) {
  const { header_from: from, sender, recipients, domain, size, campaign, id } = message
  const peer = message.events.findLast(({ peer_name: name }) => name !== undefined)
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['From', from],
    [
      'To',
      recipients.length > 3
        ? `${recipients.slice(0, 3).join(', ')} and ${formatCount(recipients.length - 3)} more`
        : recipients.join(', '),
    ],
    ['Envelope sender', sender === from ? null : sender],
    ['Domain', domain],
    ['Provider', peer?.provider_name],
    ['Campaign', campaign],
    ['Size', size === null ? null : formatBytes(size)],
    ['Id', id],
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value ? (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={name === 'Id' ? 'foreign mono' : 'foreign'}>
              <bdi>{printable(value)}</bdi>
            </dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

/** Over a narrow screen the panel is all there is: the focus goes there, and back where it came from. */
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
