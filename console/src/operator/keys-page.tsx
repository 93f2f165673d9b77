/** API keys: create and revoke. */
import { useState } from 'react'
import type { ApiKey } from '../../../src/http/v1/administration/keys.wire.ts'
import { Button } from '../kit/button.tsx'
import { DialogButton, FormDialog } from '../kit/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { messageOf, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAdminAction, useKeys } from './admin.ts'
import { CreateKey } from './create-key.tsx'

const COLUMNS = ['Key', 'Owner', 'Scopes', 'Created', 'Last used', { title: 'Actions', isTitleHidden: true }]

export function KeysPage() {
  const query = useKeys()
  const { data } = query
  const [revoking, setRevoking] = useState<ApiKey>()
  return (
    <Page
      title="Keys"
      note="A key is shown only once, when it is created. The server stores its hash."
      actions={<DialogButton label="Create key" dialog={CreateKey} />}
    >
      <QueryState query={query} what="the keys" />
      {data && data.keys.length > 0 && (
        <Table columns={COLUMNS}>
          {data.keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
          ))}
        </Table>
      )}
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  )
}

function KeyRow({ apiKey, onRevoke }: { readonly apiKey: ApiKey; readonly onRevoke: () => void }) {
  const { id, tenant, scopes, createdAt, lastUsedAt, revokedAt } = apiKey
  return (
    <tr data-revoked={revokedAt !== null}>
      <td className="nowrap">
        <code>env_{id}_…</code>
      </td>
      <td className="foreign">{tenant ? printable(tenant.name) : 'Operator'}</td>
      <td>
        <span className="tags">
          {scopes.map((scope) => (
            <span key={scope} className="tag">
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td className="nowrap">
        <Ago at={createdAt} />
      </td>
      <td className="nowrap">{lastUsedAt === null ? <span className="muted">never</span> : <Ago at={lastUsedAt} />}</td>
      <td className="number">
        {revokedAt === null ? (
          <Button look="quiet" onClick={onRevoke} aria-label={`Revoke key ${id}`}>
            Revoke
          </Button>
        ) : (
          <span className="muted">
            revoked <Ago at={revokedAt} />
          </span>
        )}
      </td>
    </tr>
  )
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
