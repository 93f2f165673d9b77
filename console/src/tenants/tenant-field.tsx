/** A form field for a tenant: a button with its name, and the choice of another one below it. */
import { useId, useState } from 'react'
import { Icon } from '../kit/marks/icon.tsx'
import { Popover } from '../kit/overlays/menu.tsx'
import { printable } from '../kit/text/printable.ts'
import { type ChosenTenant, TenantChoices } from './tenant-choices.tsx'

interface TenantFieldProps {
  readonly label: string
  /** What it means to choose none, if that is possible. */
  readonly none?: string
  readonly chosen: ChosenTenant | undefined
  readonly onChoose: (tenant: ChosenTenant | undefined) => void
}

export function TenantField({ label, none, chosen, onChoose }: TenantFieldProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="stack gap-4 field">
      {/* The button's own text is part of its name: which tenant is chosen. */}
      <label id={`${id}-label`} htmlFor={id}>
        {label}
      </label>
      <Popover
        title="Choose a tenant"
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={
          <button type="button" id={id} className="row input tenant-button" aria-labelledby={`${id}-label ${id}`}>
            <bdi className="truncate foreign">{chosen ? printable(chosen.name) : (none ?? 'Choose a tenant')}</bdi>
            <Icon name="down" />
          </button>
        }
      >
        <TenantChoices
          none={none}
          chosenId={chosen?.id}
          onChoose={(tenant) => {
            setOpen(false)
            onChoose(tenant)
          }}
        />
      </Popover>
    </div>
  )
}
