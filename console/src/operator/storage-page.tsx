/** Storage: the events and bytes of each day. */
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatBytes, formatCount } from '../kit/text/format.ts'
import { useStorageUse } from './admin.ts'

const COLUMNS = [
  'Day',
  { title: 'Events', isNumber: true },
  { title: 'Size', isNumber: true },
  { title: 'Relative size', isTitleHidden: true },
]

export function StoragePage() {
  const query = useStorageUse()
  const { data } = query
  const max = Math.max(1, ...(data?.days.map(({ bytes }) => bytes) ?? []))
  return (
    <Page
      title="Storage"
      note={
        data
          ? `${formatCount(data.events)} events, ${formatBytes(data.bytes)}, retained for ${formatCount(data.retentionDays)} days. Days are in UTC.`
          : 'Events and size by day'
      }
    >
      <QueryState query={query} what="the storage use" lines={6} />
      {data?.days.length === 0 && <Empty icon="storage" title="No events stored yet" />}
      {data && data.days.length > 0 && (
        <Table columns={COLUMNS} className="storage">
          {data.days.map(({ day, bytes, events }) => (
            <tr key={day}>
              <td className="nowrap">{day}</td>
              <td className="number">{formatCount(events)}</td>
              <td className="number">{formatBytes(bytes)}</td>
              <td className="storage-bar">
                <span className="bar tone-slate" style={{ width: `${(bytes / max) * 100}%` }} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Page>
  )
}
