/** The quarantine: records that could not be stored, the reason for each, and their replay. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Quarantine, QuarantinedRecord, Replay } from '../../../src/http/v1/administration/quarantine.wire.ts'
import { request } from '../api/request.ts'
import { useIsAdmin } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, Failure, QueryState } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable, printableLines } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAdminAction } from './admin.ts'

export function QuarantinePage() {
  const query = useInfiniteQuery({
    queryKey: ['/v1/admin/quarantine'],
    queryFn: ({ pageParam, signal }) =>
      request<Quarantine>(
        `/v1/admin/quarantine${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
  const [replayed, setReplayed] = useState<Replay>()
  const replay = useAdminAction<Replay>(setReplayed)
  const isAdmin = useIsAdmin()
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const records = data?.pages.flatMap((page) => page.records) ?? []
  const count = data?.pages[0]?.count
  return (
    <Page
      title="Quarantine"
      note="Records that could not be stored. Fix the reason, then replay them."
      actions={
        <Button
          look="strong"
          icon="refresh"
          disabled={!isAdmin || replay.isPending || !count}
          onClick={() => replay.mutate({ path: 'quarantine/replay' })}
        >
          {replay.isPending ? 'Replaying…' : 'Replay all'}
        </Button>
      }
    >
      <QueryState query={query} what="the quarantine" />
      {replay.error && <Failure what="The replay failed; no record was removed" error={replay.error} />}
      {replayed && (
        <p className="notice tone-green" role="status">
          {formatCount(replayed.replayed)} replayed: {formatCount(replayed.stored)} stored,{' '}
          {formatCount(replayed.duplicates)} duplicates, {formatCount(replayed.rejected)} still rejected.
        </p>
      )}
      {count === 0 && (
        <Empty icon="check" title="The quarantine is empty">
          <p>Every record received has been stored.</p>
        </Empty>
      )}
      <ul className="stack">
        {records.map((record) => (
          <li key={record.id}>
            <RecordBox record={record} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more ({formatCount(records.length)} of {formatCount(count ?? 0)})
        </Button>
      )}
    </Page>
  )
}

function RecordBox({ record }: { readonly record: QuarantinedRecord }) {
  const { rejectedAt, times, connector, reason, payload, isCut } = record
  return (
    <details className="box quarantined-record">
      <summary className="row wrap spread hoverable">
        <span className="medium foreign">{printable(reason)}</span>
        <span className="muted">
          {printable(connector)}
          {times > 1 && ` · ${formatCount(times)} times`} · <Ago at={rejectedAt} />
        </span>
      </summary>
      <pre className="code-block foreign">
        {printableLines(payload)}
        {isCut && ' …'}
      </pre>
      <CopyButton text={payload} label="Copy record" hasLabel />
    </details>
  )
}
