/** What is kept: each day's events and bytes. */
import { formatBytes, formatCount } from '../kit/format.ts'
import { Page } from '../kit/page.tsx'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { useStorageUse } from './admin.ts'

export function StoragePage() {
  const { data, error, refetch } = useStorageUse()
  const most = Math.max(1, ...(data?.days.map(({ bytes }) => bytes) ?? []))
  return (
    <Page
      title="Storage"
      note={
        data
          ? `${formatCount(data.events)} events in ${formatBytes(data.bytes)}, kept for ${formatCount(data.retentionDays)} days. Days are in UTC.`
          : 'What is kept, day by day.'
      }
    >
      {error && <Failure what="The use of storage could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data?.days.length === 0 && <Empty icon="storage" title="Nothing is stored yet" />}
      {data && data.days.length > 0 && (
        <div className="box table-scroll">
          <table className="table storage">
            <thead>
              <tr>
                <th>Day</th>
                <th className="number">Events</th>
                <th className="number">Size</th>
                <th>
                  <span className="visually-hidden">Share</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.days.map(({ day, bytes, events }) => (
                <tr key={day}>
                  <td className="nowrap">{day}</td>
                  <td className="number">{formatCount(events)}</td>
                  <td className="number">{formatBytes(bytes)}</td>
                  <td className="storage-bar">
                    <span className="bar tone-slate" style={{ width: `${(bytes / most) * 100}%` }} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  )
}
