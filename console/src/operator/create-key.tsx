/** Creates a key: owner and scopes, then the only time that the key is shown. */
import { useState } from 'react'
import type { CreatedKey } from '../../../src/http/v1/administration/keys.wire.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Dialog, FormDialog } from '../kit/dialog.tsx'
import { Checkbox, Select } from '../kit/field.tsx'
import { messageOf } from '../kit/states.tsx'
import { printable } from '../kit/text/printable.ts'
import { useAdminAction, useTenants } from './admin.ts'

const SCOPES = {
  tenant: [
    ['logs', 'Read the log'],
    ['domains', 'View and verify domains'],
    ['domainStats', 'Read statistics'],
  ],
  operator: [
    ['ingest', 'Send events'],
    ['admin', 'Administer the installation'],
  ],
} as const

export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const tenants = useTenants()
  const [tenant, setTenant] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(['ingest'])
  const [created, setCreated] = useState<CreatedKey>()
  const create = useAdminAction(setCreated)
  if (created) return <NewKey created={created} onClose={onClose} />
  const offered = SCOPES[tenant === '' ? 'operator' : 'tenant']
  return (
    <FormDialog
      title="Create key"
      action="Create key"
      canSubmit={!create.isPending && scopes.length > 0}
      onClose={onClose}
      onSubmit={() => create.mutate({ path: 'keys', body: { ...(tenant !== '' && { tenant }), scopes } })}
    >
      <Select
        label="Owner"
        value={tenant}
        onChange={({ currentTarget: { value } }) => {
          setTenant(value)
          setScopes(value === '' ? ['ingest'] : SCOPES.tenant.map(([scope]) => scope))
        }}
      >
        <option value="">Operator</option>
        {tenants.data?.tenants.map(({ id, name }) => (
          <option key={id} value={name}>
            {printable(name)}
          </option>
        ))}
      </Select>
      <fieldset className="stack gap-6">
        <legend className="field-legend">Scopes</legend>
        {offered.map(([scope, meaning]) => (
          <Checkbox
            key={scope}
            label={scope}
            hint={meaning}
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      {create.error && <p className="field-error">{messageOf(create.error)}</p>}
    </FormDialog>
  )
}

function NewKey({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  return (
    <Dialog title="New key" onClose={onClose} description="Copy the key now. It will not be shown again.">
      <div className="row new-key">
        <code className="grow foreign" data-testid="new-key">
          {created.key}
        </code>
        <CopyButton text={created.key} label="Copy key" />
      </div>
      <div className="row dialog-actions">
        <Button look="strong" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
