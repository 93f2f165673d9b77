/** Adds a domain to a tenant: the one whose domains are shown, or another one. */
import { useState } from 'react'
import type { AdminDomainDetail } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import { useReading } from '../api/reading.ts'
import { Checkbox, Field } from '../kit/field.tsx'
import { FormDialog } from '../kit/overlays/dialog.tsx'
import { messageOf } from '../kit/states.tsx'
import type { ChosenTenant } from '../tenants/tenant-choices.tsx'
import { TenantField } from '../tenants/tenant-field.tsx'
import { useAdminAction, useTenants } from './admin.ts'

export function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const { tenantId } = useReading()
  const [chosen, setChosen] = useState<ChosenTenant>()
  // The only tenant needs no choice, and of many the first is rarely the one that is meant.
  const { data } = useTenants(String(new URLSearchParams({ search: tenantId ?? '', take: '2' })))
  const suggested = data?.tenants.find(({ id }) => id === tenantId) ?? (data?.count === 1 ? data.tenants[0] : undefined)
  const tenant = chosen ?? suggested
  const [isActive, setActive] = useState(true)
  const add = useAdminAction<AdminDomainDetail>(onClose)
  return (
    <FormDialog
      title="Add domain"
      action="Add domain"
      canSubmit={!add.isPending && name.trim() !== '' && tenant !== undefined}
      onClose={onClose}
      onSubmit={() =>
        add.mutate({ path: 'domains', body: { name: name.trim(), tenant: tenant?.name, active: isActive } })
      }
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
      <TenantField label="Tenant" chosen={tenant} onChoose={setChosen} />
      <Checkbox
        label="Active"
        hint="The domain can be verified immediately."
        checked={isActive}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
