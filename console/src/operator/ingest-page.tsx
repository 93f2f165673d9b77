/** The state of ingest, now and over the last hour. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { IngestHealth } from '../../../src/http/v1/administration/ingest.wire.ts'
import { Lamp } from '../kit/marks/lamp.tsx'
import { Page } from '../kit/page.tsx'
import { QueryState } from '../kit/states.tsx'
import { formatCount, formatShortClock } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'
import { useIngestHealth } from './admin.ts'

export function IngestPage() {
  const query = useIngestHealth()
  return (
    <Page title="Ingest" note="Events received from mail servers. Updated every five seconds.">
      <QueryState query={query} what="the state of ingest" />
      {query.data && <Health health={query.data} />}
    </Page>
  )
}

function Health({ health }: { readonly health: IngestHealth }) {
  const { writable, queued, minutes, lastEventAt, lastStoredAt, quarantined } = health
  const stored = minutes.reduce((sum, minute) => sum + minute.stored, 0)
  return (
    <>
      <dl className="stack gap-12 tiles">
        <Tile name="Storage">
          <Lamp
            state={writable ? 'good' : 'bad'}
            label={writable ? 'Writable' : 'Not writable'}
            word={writable ? 'events are being stored' : 'events cannot be stored'}
          />
        </Tile>
        <Tile name="Events waiting">{formatCount(queued)}</Tile>
        <Tile name="Stored in the last hour">{formatCount(stored)}</Tile>
        <Tile name="Newest event">{lastEventAt === null ? 'None' : <Ago at={lastEventAt} />}</Tile>
        <Tile name="Last stored over HTTP">
          {lastStoredAt === null ? 'None since start' : <Ago at={lastStoredAt} />}
        </Tile>
        <Tile name="In quarantine">
          <Link href="/operator/quarantine">{formatCount(quarantined)}</Link>
        </Tile>
      </dl>
      {!writable && (
        <p className="field-error">
          Ingest returns 503, so senders keep their events and retry. Check the server’s log and the free space on its
          disk.
        </p>
      )}
      <section className="stack section" aria-label="Events per minute">
        <h2>Events per minute</h2>
        <div className="box minutes">
          {minutes.every((minute) => minute.stored + minute.rejected === 0) ? (
            <p className="nothing muted">No events received over HTTP in the last hour.</p>
          ) : (
            <Minutes minutes={minutes} />
          )}
        </div>
      </section>
    </>
  )
}

function Tile({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="box tile">
      <dt className="muted small">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Minutes({ minutes }: { readonly minutes: IngestHealth['minutes'] }) {
  const max = Math.max(1, ...minutes.map(({ stored, rejected }) => stored + rejected))
  const [first, last] = [minutes[0], minutes.at(-1)]
  return (
    <>
      <svg
        className="minute-bars"
        viewBox={`0 0 ${minutes.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Events per minute in the last ${minutes.length} minutes, maximum ${max}`}
      >
        {minutes.map(({ time, stored, rejected }, index) => (
          <g key={time}>
            <title>{`${formatShortClock(Date.parse(time))}: ${stored} stored, ${rejected} rejected`}</title>
            <rect className="tone-green" x={index + 0.1} width={0.8} y={1 - stored / max} height={stored / max} />
            <rect
              className="tone-red"
              x={index + 0.1}
              width={0.8}
              y={1 - (stored + rejected) / max}
              height={rejected / max}
            />
          </g>
        ))}
      </svg>
      <p className="row spread muted small minute-axis">
        <span>{first && formatShortClock(Date.parse(first.time))}</span>
        <span>Maximum: {formatCount(max)}</span>
        <span>{last && formatShortClock(Date.parse(last.time))}</span>
      </p>
    </>
  )
}
