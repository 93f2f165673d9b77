/** Making a key: for whom, with which scopes; then the only time that it is shown. */
import { useState } from 'react'
import type { CreatedKey } from '../../../src/http/v1/admin-keys.wire.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Choice, Tick } from '../kit/field.tsx'
import { printable } from '../kit/printable.ts'
import { messageOf } from '../kit/states.tsx'
import { useAdminAction, useTenants } from './admin.ts'

const SCOPES = {
  tenant: [
    ['logs', 'read the log'],
    ['domains', 'see and verify domains'],
    ['domainStats', 'read statistics'],
  ],
  operator: [
    ['ingest', 'send events'],
    ['admin', 'these pages'],
  ],
} as const

interface CreateKeyProps {
  readonly onClose: () => void
  readonly onCreated: (key: CreatedKey) => void
}

export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const tenants = useTenants()
  const [tenant, setTenant] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(['ingest'])
  const create = useAdminAction<CreatedKey>(onCreated)
  const offered = SCOPES[tenant === '' ? 'operator' : 'tenant']
  return (
    <Dialog title="Create key" isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ path: 'keys', body: { ...(tenant !== '' && { tenant }), scopes } })
        }}
      >
        <Choice
          label="Of"
          value={tenant}
          onChange={({ currentTarget: { value } }) => {
            setTenant(value)
            setScopes(value === '' ? ['ingest'] : SCOPES.tenant.map(([scope]) => scope))
          }}
        >
          <option value="">The operator</option>
          {tenants.data?.tenants.map(({ id, name }) => (
            <option key={id} value={name}>
              {printable(name)}
            </option>
          ))}
        </Choice>
        <fieldset className="tick-group">
          <legend className="field-legend">Scopes</legend>
          {offered.map(([scope, what]) => (
            <Tick
              key={scope}
              label={scope}
              hint={what}
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
              }
            />
          ))}
        </fieldset>
        {create.error && <p className="field-problem">{messageOf(create.error)}</p>}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="strong" type="submit" disabled={create.isPending || scopes.length === 0}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function NewKey({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  return (
    <Dialog
      title="The new key"
      isOpen
      onClose={onClose}
      description="Copy it now: it is not shown again, here or anywhere else."
    >
      <div className="new-key">
        <code className="foreign" data-testid="new-key">
          {created.key}
        </code>
        <CopyButton text={created.key} label="Copy key" />
      </div>
      <div className="dialog-actions">
        <Button look="strong" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  )
}
