/** Creates a key: owner and scopes, then the only time that the key is shown. */
import { useState } from 'react'
import type { CreatedKey } from '../../../src/http/v1/administration/keys.wire.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Checkbox, Field } from '../kit/field.tsx'
import { Dialog, FormDialog } from '../kit/overlays/dialog.tsx'
import { messageOf } from '../kit/states.tsx'
import type { ChosenTenant } from '../tenants/tenant-choices.tsx'
import { TenantField } from '../tenants/tenant-field.tsx'
import { useAdminAction } from './admin.ts'
import './operator-pages.css'

const INGEST = 'ingest'

const SCOPES = {
  tenant: [
    ['logs', 'Read the log'],
    ['domains', 'View and verify domains'],
    ['domainStats', 'Read statistics'],
    ['addDomains', 'Add domains, if ENVELOG_ADD_DOMAINS allows it'],
    [INGEST, 'Send events of its own domains, and nothing else'],
  ],
  operator: [
    [INGEST, 'Send events'],
    ['admin', 'Administer the installation, and see the mail of all tenants'],
    ['read', 'See the mail of all tenants and the administration, without secrets'],
  ],
} as const

const isReading = (scope: string) => scope !== INGEST
/** Of a new tenant's key. */
const READING_SCOPES = SCOPES.tenant
  .map(([scope]) => scope)
  .filter((scope) => isReading(scope) && scope !== 'addDomains')

function suggestScopes(owner: ChosenTenant | undefined): readonly string[] {
  return owner ? READING_SCOPES : [INGEST]
}

interface CreateKeyProps {
  readonly onClose: () => void
  /** Suggested; default: the operator. */
  readonly owner?: ChosenTenant | undefined
}

export function CreateKey({ onClose, owner }: CreateKeyProps) {
  const [tenant, setTenant] = useState(owner)
  const [scopes, setScopes] = useState<readonly string[]>(suggestScopes(owner))
  const [name, setName] = useState('')
  const [expires, setExpires] = useState('')
  const [networks, setNetworks] = useState('')
  const [created, setCreated] = useState<CreatedKey>()
  const create = useAdminAction(setCreated)
  if (created) return <NewKey created={created} onClose={onClose} />
  const offered = SCOPES[tenant ? 'tenant' : 'operator']
  return (
    <FormDialog
      title="Create key"
      action="Create key"
      canSubmit={!create.isPending && scopes.length > 0}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ path: 'keys', body: toBody({ tenant: tenant?.name, scopes, name, expires, networks }) })
      }
    >
      <TenantField
        label="Owner"
        none="Operator"
        chosen={tenant}
        onChoose={(chosen) => {
          setTenant(chosen)
          setScopes(suggestScopes(chosen))
        }}
      />
      <fieldset className="stack gap-6">
        <legend className="field-legend">Scopes</legend>
        {offered.map(([scope, meaning]) => (
          <Checkbox
            key={scope}
            label={scope}
            hint={meaning}
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              setScopes(
                checked ? withScope(scopes, scope, tenant !== undefined) : scopes.filter((other) => other !== scope),
              )
            }
          />
        ))}
      </fieldset>
      <Field
        label="Key name"
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        hint="Optional. Helps you recognize the key."
      />
      <Field
        label="Expires"
        placeholder="never"
        autoComplete="off"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
        hint="A duration such as 90d, or a time such as 2027-01-31T12:00:00Z."
      />
      <Field
        label="Networks"
        placeholder="any"
        autoComplete="off"
        spellCheck={false}
        value={networks}
        onChange={(event) => setNetworks(event.currentTarget.value)}
        hint="Where the key may be used: addresses and CIDR blocks, separated by spaces."
      />
      {create.error && <p className="field-error">{messageOf(create.error)}</p>}
    </FormDialog>
  )
}

/** A tenant's key sends events or reads, not both. */
function withScope(scopes: readonly string[], scope: string, isTenant: boolean): readonly string[] {
  if (isTenant && !isReading(scope)) return [scope]
  return [...(isTenant ? scopes.filter(isReading) : scopes), scope]
}

interface KeyForm {
  readonly tenant: string | undefined
  readonly scopes: readonly string[]
  readonly name: string
  readonly expires: string
  readonly networks: string
}

function toBody({ tenant, scopes, name, expires, networks }: KeyForm) {
  return {
    ...(tenant !== undefined && { tenant }),
    scopes,
    name: name.trim(),
    expires: expires.trim() === '' ? null : expires.trim(),
    networks: networks.split(/[\s,]+/).filter((network) => network !== ''),
  }
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
