/** The audit log: who did what in the administration, and which operator has read whose mail. */
import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { AuditEntry } from '../../../src/http/v1/administration/audit/audit-log.wire.ts'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAudit } from './admin.ts'

const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'administration', label: 'Administration' },
  { value: 'reading', label: 'Mail that was read' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'denied', label: 'Denied' },
]

const COLUMNS = [
  'Time',
  'Who',
  'Action',
  'Object',
  { title: 'Requests', hint: 'Frequent requests of one hour are one entry', isNumber: true },
  'Outcome',
]

const PAGE = 100

export function AuditPage() {
  const kind = new URLSearchParams(useSearch()).get('kind') ?? ''
  return <Entries key={kind} kind={KINDS.some(({ value }) => value === kind) ? kind : ''} />
}

function Entries({ kind }: { readonly kind: string }) {
  const [path, navigate] = useLocation()
  /** Cursors of the pages before this one, and of this one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1)
  const params = { limit: String(PAGE), ...(kind !== '' && { kind }), ...(cursor !== undefined && { cursor }) }
  const query = useAudit(String(new URLSearchParams(params)))
  const { data } = query
  const next = data?.next ?? null
  return (
    <Page
      title="Audit log"
      note="Changes, reads of secrets and of tenants' mail, sign-ins, and requests that were denied. Newest first."
      actions={
        <select
          className="input list-sort"
          aria-label="Kind"
          value={kind}
          onChange={({ currentTarget: { value } }) => navigate(value === '' ? path : `${path}?kind=${value}`)}
        >
          {KINDS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      <QueryState query={query} what="the audit log" lines={8} />
      {data?.entries.length === 0 && next === null && <Empty icon="audit" title="No entries" />}
      {data && data.entries.length > 0 && (
        <Table columns={COLUMNS} label="Entries of the audit log">
          {data.entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </Table>
      )}
      {(cursors.length > 0 || next !== null) && (
        <nav className="row" aria-label="Pages of the list">
          <Button disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </Button>
          <Button disabled={next === null} onClick={() => next !== null && setCursors([...cursors, next])}>
            Older
          </Button>
        </nav>
      )}
    </Page>
  )
}

const TONES = { success: 'green', refused: 'amber', failed: 'red' } as const

function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const { lastTime, actor, action, object, count, outcome, status } = entry
  return (
    <tr>
      <td className="nowrap">
        <Ago at={lastTime} />
      </td>
      <td className="foreign">
        {describeActor(actor)}
        {actor.address !== null && <div className="muted">{actor.address}</div>}
      </td>
      <td className="nowrap">
        <code>{action}</code>
      </td>
      <td className="foreign">{object === null ? <span className="muted">none</span> : printable(object)}</td>
      <td className="number">{formatCount(count)}</td>
      <td className="nowrap">
        <span className={`badge tone-${TONES[outcome]}`}>{outcome}</span> <span className="muted">{status}</span>
      </td>
    </tr>
  )
}

function describeActor({ type, id, name }: AuditEntry['actor']): string {
  if (type === 'local') return `${printable(id ?? '')} on the server`
  if (type === 'unknown') return 'No valid key'
  if (type === 'others') return 'Others'
  return `${type === 'operator' ? 'Operator' : 'Tenant'} ${printable(name ?? id ?? '')}`
}
