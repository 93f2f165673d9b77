/** Adds a domain to a tenant: the one whose domains are shown, or another one. */
import { useState } from 'react'
import type { AdminDomainDetail } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import { useReading } from '../api/reading.ts'
import { Checkbox, Field, Select } from '../kit/field.tsx'
import { FormDialog } from '../kit/overlays/dialog.tsx'
import { messageOf } from '../kit/states.tsx'
import { printable } from '../kit/text/printable.ts'
import { useAdminAction, useTenants } from './admin.ts'

export function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const tenants = useTenants()
  const { tenantId } = useReading()
  const [chosen, setChosen] = useState<string>()
  const shown = tenants.data?.tenants.find(({ id }) => id === tenantId) ?? tenants.data?.tenants[0]
  const tenant = chosen ?? shown?.name ?? ''
  const [isActive, setActive] = useState(true)
  const add = useAdminAction<AdminDomainDetail>(onClose)
  return (
    <FormDialog
      title="Add domain"
      action="Add domain"
      canSubmit={!add.isPending && name.trim() !== '' && tenant !== ''}
      onClose={onClose}
      onSubmit={() => add.mutate({ path: 'domains', body: { name: name.trim(), tenant, active: isActive } })}
    >
      <Field
        label="Name"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="mail.example.com"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={add.error ? messageOf(add.error) : undefined}
      />
      <Select label="Tenant" value={tenant} onChange={(event) => setChosen(event.currentTarget.value)}>
        {tenants.data?.tenants.map((one) => (
          <option key={one.id} value={one.name}>
            {printable(one.name)}
          </option>
        ))}
      </Select>
      <Checkbox
        label="Active"
        hint="The domain can be verified immediately."
        checked={isActive}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
