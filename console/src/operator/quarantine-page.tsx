/** Records that could not become events, each with its reason, and another try for all of them. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Quarantine, QuarantinedRecord, Replay } from '../../../src/http/v1/admin-quarantine.wire.ts'
import { request } from '../api/request.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { formatCount } from '../kit/format.ts'
import { Page } from '../kit/page.tsx'
import { printable, printableLines } from '../kit/printable.ts'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { useAdminAction } from './admin.ts'

export function QuarantinePage() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['admin', 'quarantine'],
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
  const records = data?.pages.flatMap((page) => page.records) ?? []
  const count = data?.pages[0]?.count
  return (
    <Page
      title="Quarantine"
      note="Records that could not be stored. Nothing is thrown away: once the reason is gone, try them again."
      actions={
        <Button
          look="strong"
          icon="refresh"
          disabled={replay.isPending || !count}
          onClick={() => replay.mutate({ path: 'quarantine/replay' })}
        >
          {replay.isPending ? 'Trying again …' : 'Replay all'}
        </Button>
      }
    >
      {error && <Failure what="The quarantine could not be read" error={error} onRetry={() => void refetch()} />}
      {replay.error && <Failure what="The replay failed; every record is still here" error={replay.error} />}
      {replayed && (
        <p className="notice" role="status">
          {formatCount(replayed.replayed)} tried again: {formatCount(replayed.stored)} stored,{' '}
          {formatCount(replayed.duplicates)} were there already, {formatCount(replayed.rejected)} still rejected.
        </p>
      )}
      {!data && !error && <Skeleton lines={4} />}
      {count === 0 && (
        <Empty icon="check" title="The quarantine is empty">
          <p>Every record that came in became an event.</p>
        </Empty>
      )}
      <ul className="quarantined">
        {records.map((record) => (
          <li key={record.id}>
            <RecordBox record={record} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more of {formatCount(count ?? 0)}
        </Button>
      )}
    </Page>
  )
}

function RecordBox({ record }: { readonly record: QuarantinedRecord }) {
  const { rejectedAt, times, connector, reason, payload, isCut } = record
  return (
    <details className="box quarantined-record">
      <summary>
        <span className="quarantined-reason foreign">{printable(reason)}</span>
        <span className="muted">
          {printable(connector)}
          {times > 1 && ` · ${formatCount(times)} times`} · <Ago at={rejectedAt} />
        </span>
      </summary>
      <pre className="code-block foreign">
        {printableLines(payload)}
        {isCut && ' …'}
      </pre>
      <CopyButton text={payload} label="Copy record" isWordy />
    </details>
  )
}
