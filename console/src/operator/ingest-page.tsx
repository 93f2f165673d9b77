/** Whether events come in: now, and over the last hour. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { IngestHealth } from '../../../src/http/v1/admin-ingest.wire.ts'
import { formatCount, formatShortClock } from '../kit/format.ts'
import { Lamp } from '../kit/lamp.tsx'
import { Page } from '../kit/page.tsx'
import { Failure, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { useIngestHealth } from './admin.ts'

export function IngestPage() {
  const { data, error, refetch } = useIngestHealth()
  return (
    <Page title="Ingest" note="What mail servers hand over. Looked at again every five seconds.">
      {error && <Failure what="The state of ingest could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && <Health health={data} />}
    </Page>
  )
}

function Health({ health }: { readonly health: IngestHealth }) {
  const { writable, queued, minutes, lastEventAt, lastStoredAt, quarantined } = health
  const stored = minutes.reduce((sum, minute) => sum + minute.stored, 0)
  return (
    <>
      <dl className="tiles">
        <Tile name="Storage">
          <Lamp
            state={writable ? 'good' : 'bad'}
            label={writable ? 'Commits' : 'Cannot commit'}
            word={writable ? 'yes' : 'no'}
          />
        </Tile>
        <Tile name="Waiting">{formatCount(queued)}</Tile>
        <Tile name="Stored in the last hour">{formatCount(stored)}</Tile>
        <Tile name="Newest event">{lastEventAt === null ? 'none' : <Ago at={lastEventAt} />}</Tile>
        <Tile name="Last stored over HTTP">
          {lastStoredAt === null ? 'not since the start' : <Ago at={lastStoredAt} />}
        </Tile>
        <Tile name="In quarantine">
          <Link href="/operator/quarantine">{formatCount(quarantined)}</Link>
        </Tile>
      </dl>
      {!writable && (
        <p className="field-problem">
          Senders are told to come back (503), so nothing is lost as long as they do. Look at the server’s log and its
          disk.
        </p>
      )}
      <section className="section" aria-label="Events a minute">
        <h2>Events a minute</h2>
        <div className="box minutes">
          {minutes.every(({ stored: some, rejected }) => some + rejected === 0) ? (
            <p className="nothing">Nothing has come in over HTTP in the last hour.</p>
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
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Minutes({ minutes }: { readonly minutes: IngestHealth['minutes'] }) {
  const most = Math.max(1, ...minutes.map(({ stored, rejected }) => stored + rejected))
  const [first, last] = [minutes[0], minutes.at(-1)]
  return (
    <>
      <svg
        className="minute-bars"
        viewBox={`0 0 ${minutes.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Events stored in each of the last ${minutes.length} minutes, at most ${most}`}
      >
        {minutes.map(({ time, stored, rejected }, index) => (
          <g key={time}>
            <title>{`${formatShortClock(Date.parse(time))}: ${stored} stored, ${rejected} rejected`}</title>
            <rect className="tone-green" x={index + 0.1} width={0.8} y={1 - stored / most} height={stored / most} />
            <rect
              className="tone-red"
              x={index + 0.1}
              width={0.8}
              y={1 - (stored + rejected) / most}
              height={rejected / most}
            />
          </g>
        ))}
      </svg>
      <p className="minute-axis">
        <span>{first && formatShortClock(Date.parse(first.time))}</span>
        <span>at most {formatCount(most)}</span>
        <span>{last && formatShortClock(Date.parse(last.time))}</span>
      </p>
    </>
  )
}
