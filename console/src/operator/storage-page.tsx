/** Storage: the events and bytes of each day. */
import type { StorageUse } from '../../../src/http/v1/administration/storage.wire.ts'
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatBytes, formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useRetention, useStorageUse } from './admin.ts'

const COLUMNS = [
  'Day',
  { title: 'Events', isNumber: true },
  { title: 'Size', isNumber: true },
  { title: 'Relative size', isTitleHidden: true },
]

const SET_ASIDE_COLUMNS = ['Day', 'Problem', 'Since', 'What to do']

function SetAsideDays({ days }: { readonly days: StorageUse['setAside'] }) {
  return (
    <section className="stack section" aria-label="Days that are set aside">
      <h2>Days that are set aside</h2>
      <p className="field-error">
        The events of these days are missing from the log and the statistics, and new ones are refused.
      </p>
      <Table columns={SET_ASIDE_COLUMNS} label="Days that are set aside, with what to do">
        {days.map(({ day, kind, since, detail }) => (
          <tr key={day}>
            <td className="nowrap">{day}</td>
            <td className="nowrap">{kind}</td>
            <td className="nowrap">
              <Ago at={since} />
            </td>
            <td>{printable(detail)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

export function StoragePage() {
  const query = useStorageUse()
  const { data } = query
  const { data: retention } = useRetention()
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
      {retention?.explanation && (
        <p className="field-error" role="status">
          {retention.explanation}
        </p>
      )}
      <QueryState query={query} what="the storage use" lines={6} />
      {data && <Backup last={data.lastBackup} />}
      {data && data.setAside.length > 0 && <SetAsideDays days={data.setAside} />}
      {data?.days.length === 0 && <Empty icon="storage" title="No events stored yet" />}
      {data && data.days.length > 0 && (
        <Table columns={COLUMNS} className="storage" label="Events and size by day">
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

function Backup({ last }: { readonly last: StorageUse['lastBackup'] }) {
  if (!last) {
    return (
      <p className="muted">
        No backup was made with this server.{' '}
        <a className="in-text" href="/docs/guide/operations#backup-and-restore" target="_blank" rel="noopener">
          Backup and restore
        </a>
      </p>
    )
  }
  const { finishedAt, bytes, problems } = last
  return (
    <p className={problems > 0 ? 'field-error' : 'muted'}>
      Last backup <Ago at={finishedAt} />, {formatBytes(bytes)}
      {problems > 0 ? `: ${formatCount(problems)} ${problems === 1 ? 'day is' : 'days are'} not complete in it.` : '.'}
    </p>
  )
}
