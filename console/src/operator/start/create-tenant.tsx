/** Creates a tenant. */
import { useState } from 'react'
import { Field } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/overlays/dialog.tsx'
import { messageOf } from '../../kit/states.tsx'
import { useAdminAction } from '../admin.ts'

export function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useAdminAction(onClose)
  return (
    <FormDialog
      title="Create tenant"
      action="Create tenant"
      canSubmit={!create.isPending && name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => create.mutate({ path: 'tenants', body: { name: name.trim() } })}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoFocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={create.error ? messageOf(create.error) : undefined}
        hint="Shown to the tenant. It cannot be changed later."
      />
    </FormDialog>
  )
}
