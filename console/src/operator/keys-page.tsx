/** API keys: create and revoke. */
import { useState } from 'react'
import type { ApiKey } from '../../../src/http/v1/administration/keys.wire.ts'
import { useIsAdmin } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { DialogButton, FormDialog } from '../kit/overlays/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, messageOf, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { printable } from '../kit/text/printable.ts'
import { Ago, useNow } from '../kit/text/time.tsx'
import { useAdminAction, useKeys } from './admin.ts'
import { CreateKey } from './create-key.tsx'
import { ListControls, Pager } from './list-controls.tsx'
import { listParams, useListSearch } from './list-search.ts'

const COLUMNS = [
  'Key',
  'Owner',
  'Scopes',
  'Networks',
  'Created',
  'Expires',
  'Last used',
  { title: 'Actions', isTitleHidden: true },
]

const SORTS = [
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: 'name', label: 'By name' },
  { value: 'tenant', label: 'By owner' },
  { value: '-used', label: 'Recently used first' },
  { value: 'used', label: 'Least recently used first' },
  { value: 'expires', label: 'Expiring soonest first' },
]

export function KeysPage() {
  const [list, changeList] = useListSearch(SORTS.map(({ value }) => value))
  const query = useKeys(String(listParams(list)))
  const { data } = query
  const isAdmin = useIsAdmin()
  const [revoking, setRevoking] = useState<ApiKey>()
  return (
    <Page
      title="Keys"
      note="A key is shown only once, when it is created. The server stores its hash."
      actions={isAdmin && <DialogButton label="Create key" dialog={CreateKey} />}
    >
      <ListControls
        list={list}
        onChange={changeList}
        label="Search keys"
        placeholder="Name, ID or tenant"
        sorts={SORTS}
      />
      <QueryState query={query} what="the keys" />
      {data?.count === 0 && <Empty icon="search" title="No matching keys" />}
      {data && data.keys.length > 0 && (
        <Table columns={COLUMNS}>
          {data.keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} canRevoke={isAdmin} onRevoke={() => setRevoking(key)} />
          ))}
        </Table>
      )}
      {data && <Pager list={list} onChange={changeList} count={data.count} />}
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  )
}

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly canRevoke: boolean
  readonly onRevoke: () => void
}

function KeyRow({ apiKey, canRevoke, onRevoke }: KeyRowProps) {
  const { id, name, tenant, scopes, networks, createdAt, expiresAt, lastUsedAt, revokedAt } = apiKey
  const nowMs = useNow(30_000)
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs
  return (
    <tr data-revoked={revokedAt !== null || isExpired}>
      <td className="nowrap">
        <code>env_{id}_…</code>
        {name !== null && <div className="foreign muted">{printable(name)}</div>}
      </td>
      <td className="foreign">{tenant ? printable(tenant.name) : 'Operator'}</td>
      <td>
        <span className="tags key-scopes">
          {scopes.map((scope) => (
            <span key={scope} className="tag">
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td className="foreign key-networks">
        {networks.length === 0 ? (
          <span className="muted">any</span>
        ) : (
          <span title={printable(networks.join(', '))}>{printable(describeNetworks(networks))}</span>
        )}
      </td>
      <td className="nowrap">
        <Ago at={createdAt} />
      </td>
      <td className="nowrap">{expiresAt === null ? <span className="muted">never</span> : <Ago at={expiresAt} />}</td>
      <td className="nowrap">{lastUsedAt === null ? <span className="muted">never</span> : <Ago at={lastUsedAt} />}</td>
      <td className="number">
        {revokedAt !== null && (
          <span className="muted">
            revoked <Ago at={revokedAt} />
          </span>
        )}
        {/* It is refused anyway. */}
        {revokedAt === null && isExpired && <span className="muted">expired</span>}
        {revokedAt === null && !isExpired && canRevoke && (
          <Button look="quiet" onClick={onRevoke} aria-label={`Revoke key ${id}`}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  )
}

const NETWORKS_SHOWN = 2

function describeNetworks(networks: readonly string[]): string {
  const more = networks.length - NETWORKS_SHOWN
  return networks.slice(0, NETWORKS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const revoke = useAdminAction(onClose)
  const owner = apiKey.tenant ? printable(apiKey.tenant.name) : 'the operator'
  return (
    <FormDialog
      title="Revoke key?"
      description={`Requests with the key ${apiKey.id} of ${owner} will be refused within two seconds. This cannot be undone.`}
      action="Revoke key"
      look="danger"
      canSubmit={!revoke.isPending}
      onClose={onClose}
      onSubmit={() => revoke.mutate({ path: `keys/${encodeURIComponent(apiKey.id)}`, method: 'DELETE' })}
    >
      {revoke.error && <p className="field-error">{messageOf(revoke.error)}</p>}
    </FormDialog>
  )
}
