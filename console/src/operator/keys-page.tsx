/** API keys: made, shown once, revoked. */
import { useState } from 'react'
import type { ApiKey, CreatedKey } from '../../../src/http/v1/admin-keys.wire.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { printable } from '../kit/printable.ts'
import { Failure, messageOf, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { useAdminAction, useKeys } from './admin.ts'
import { CreateKey, NewKey } from './create-key.tsx'

export function KeysPage() {
  const { data, error, refetch } = useKeys()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  const [revoking, setRevoking] = useState<ApiKey>()
  return (
    <Page
      title="Keys"
      note="A key is shown once, when it is made. Only its hash is kept."
      actions={
        <Button look="strong" icon="plus" onClick={() => setAdding(true)}>
          Create key
        </Button>
      }
    >
      {error && <Failure what="The keys could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && data.keys.length > 0 && (
        <div className="box table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>Key</th>
                <th>Of</th>
                <th>Scopes</th>
                <th>Created</th>
                <th>Last used</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.keys.map((key) => (
                <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && (
        <CreateKey
          onClose={() => setAdding(false)}
          onCreated={(key) => {
            setAdding(false)
            setCreated(key)
          }}
        />
      )}
      {created && <NewKey created={created} onClose={() => setCreated(undefined)} />}
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
    <Dialog
      title="Revoke key?"
      isOpen
      onClose={onClose}
      description={`Whatever uses the key ${apiKey.id} of ${owner} is refused within two seconds. This cannot be undone.`}
    >
      {revoke.error && <p className="field-problem">{messageOf(revoke.error)}</p>}
      <div className="dialog-actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button
          look="danger"
          disabled={revoke.isPending}
          onClick={() => revoke.mutate({ path: `keys/${encodeURIComponent(apiKey.id)}`, method: 'DELETE' })}
        >
          Revoke key
        </Button>
      </div>
    </Dialog>
  )
}
