/** Removals of tenants, domains and recipients, their receipts, and the erasure of a recipient. */
import { useState } from 'react'
import type { Removal, RemovalSummary } from '../../../src/http/v1/administration/removal/removals.wire.ts'
import { useIsAdmin } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Field } from '../kit/field.tsx'
import { Dialog, DialogButton, FormDialog } from '../kit/overlays/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, messageOf, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAdminAction, useRemoval, useRemovals } from './admin.ts'

const COLUMNS = [
  'Requested',
  'Kind',
  'Object',
  'State',
  { title: 'Events', isNumber: true },
  { title: 'Days', isNumber: true },
  { title: 'Quarantined', isNumber: true },
  { title: 'Actions', isTitleHidden: true },
]

const STATES = {
  running: { label: 'Running', tone: 'blue' },
  finished: { label: 'Finished', tone: 'green' },
  incomplete: { label: 'Incomplete', tone: 'red' },
} as const

export function RemovalsPage() {
  const query = useRemovals()
  const { data } = query
  const isAdmin = useIsAdmin()
  const [shown, setShown] = useState<string>()
  return (
    <Page
      title="Removals"
      note="Tenants and domains that were removed, and recipients that were erased, with receipts."
      actions={isAdmin && <DialogButton label="Erase recipient" dialog={EraseRecipient} />}
    >
      <QueryState query={query} what="the removals" />
      {data?.removals.length === 0 && (
        <Empty icon="removals" title="Nothing was removed yet">
          <p>Remove tenants and domains on their pages, and erase a recipient here.</p>
        </Empty>
      )}
      {data && data.removals.length > 0 && (
        <Table columns={COLUMNS}>
          {data.removals.map((removal) => (
            <RemovalRow key={removal.id} removal={removal} onShow={() => setShown(removal.id)} />
          ))}
        </Table>
      )}
      {shown !== undefined && <Receipt id={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

interface RemovalRowProps {
  readonly removal: RemovalSummary
  readonly onShow: () => void
}

function RemovalRow({ removal, onShow }: RemovalRowProps) {
  const { id, kind, object, state, requestedAt, events, dayCount, quarantined } = removal
  const { label, tone } = STATES[state]
  return (
    <tr>
      <td className="nowrap">
        <Ago at={requestedAt} />
      </td>
      <td>{kind}</td>
      <td className="removal-object">
        <code title={object}>{object}</code>
      </td>
      <td>
        <span className={`badge tone-${tone}`}>{label}</span>
      </td>
      <td className="number">{formatCount(events)}</td>
      <td className="number">{formatCount(dayCount)}</td>
      <td className="number">{formatCount(quarantined)}</td>
      <td className="number">
        <Button look="quiet" onClick={onShow} aria-label={`Receipt of removal ${id}`}>
          Receipt
        </Button>
      </td>
    </tr>
  )
}

function Receipt({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useRemoval(id)
  const text = query.data && JSON.stringify(query.data, null, 2)
  return (
    <Dialog title="Receipt" description={query.data?.backups} onClose={onClose}>
      <QueryState query={query} what="the receipt" />
      {text !== undefined && (
        <>
          <pre className="code-block receipt" tabIndex={0}>
            {text}
          </pre>
          <CopyButton text={text} label="Copy receipt" hasLabel />
        </>
      )}
    </Dialog>
  )
}

function EraseRecipient({ onClose }: { readonly onClose: () => void }) {
  const [address, setAddress] = useState('')
  const [again, setAgain] = useState('')
  const erase = useAdminAction<Removal>(onClose)
  const wanted = address.trim()
  return (
    <FormDialog
      title="Erase recipient"
      description="Erases all events to this address, of all tenants, and quarantined records that contain it. Counts stay. This cannot be undone. Stop sending to the address first: events that arrive later are stored."
      action="Erase recipient"
      look="danger"
      canSubmit={!erase.isPending && wanted.includes('@') && again.trim() === wanted}
      onClose={onClose}
      onSubmit={() => erase.mutate({ path: 'erasures', body: { address: wanted } })}
    >
      <Field
        label="Address"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="anna@example.org"
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        error={erase.error ? messageOf(erase.error) : undefined}
      />
      <Field
        label="Type the address again to confirm"
        required
        autoComplete="off"
        spellCheck={false}
        value={again}
        onChange={(event) => setAgain(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
