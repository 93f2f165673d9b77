/** Dialog: saves the search that is shown as a view. */
import { useState } from 'react'
import { Field } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/overlays/dialog.tsx'
import { messageOf } from '../../kit/states.tsx'
import { useLogSearch } from '../../search/use-log-search.ts'
import { isSameName, queryOf, useViewChange, useViews } from './use-views.ts'

export function SaveView({ onClose }: { readonly onClose: () => void }) {
  const [search] = useLogSearch()
  const { data } = useViews()
  const [typed, setName] = useState('')
  const name = typed.trim()
  const change = useViewChange(onClose)
  const isTaken = data?.views.some((view) => isSameName(view.name, name)) ?? false
  return (
    <FormDialog
      title="Save view"
      description="Saves filters, time range, columns and density for everybody who signs in with this key. To share a view with others, copy its link."
      action={isTaken ? 'Replace view' : 'Save view'}
      canSubmit={name !== '' && !change.isPending}
      onClose={onClose}
      onSubmit={() => change.mutate({ save: name, query: queryOf(search) })}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={typed}
        onChange={(event) => setName(event.currentTarget.value)}
        error={change.error ? messageOf(change.error) : undefined}
        hint={isTaken ? 'A view has this name. It will be replaced.' : 'Such as Bounces of today.'}
      />
    </FormDialog>
  )
}
