/** Asks for the name of what is to be removed. */
import { type ReactNode, useState } from 'react'
import type { Removal } from '../../../src/http/v1/administration/removal/removals.wire.ts'
import { Field } from '../kit/field.tsx'
import { FormDialog } from '../kit/overlays/dialog.tsx'
import { messageOf } from '../kit/states.tsx'
import { printable } from '../kit/text/printable.ts'
import { useAdminAction } from './admin.ts'

interface ConfirmRemovalProps {
  readonly title: string
  readonly description: ReactNode
  readonly action: string
  readonly name: string
  /** Below /v1/admin. */
  readonly path: string
  readonly onClose: () => void
}

export function ConfirmRemoval({ title, description, action, name, path, onClose }: ConfirmRemovalProps) {
  const [typed, setTyped] = useState('')
  const remove = useAdminAction<Removal>(onClose)
  return (
    <FormDialog
      title={title}
      description={description}
      action={action}
      look="danger"
      canSubmit={!remove.isPending && typed.trim() === name}
      onClose={onClose}
      onSubmit={() => remove.mutate({ path: `${path}?confirm=${encodeURIComponent(name)}`, method: 'DELETE' })}
    >
      <Field
        label={`Type ${printable(name)} to confirm`}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={remove.error ? messageOf(remove.error) : undefined}
      />
    </FormDialog>
  )
}
