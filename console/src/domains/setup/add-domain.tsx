/** The form with which a tenant adds a domain. */
import { useState } from 'react'
import { useAddDomain } from '../../api/domains.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { messageOf } from '../../kit/states.tsx'

interface AddDomainProps {
  readonly onAdded: (name: string) => void
  /** Absent if there is nothing else on the page. */
  readonly onClose?: () => void
}

export function AddDomain({ onAdded, onClose }: AddDomainProps) {
  const [name, setName] = useState('')
  const add = useAddDomain((domain) => onAdded(domain.name))
  const canSubmit = name.trim() !== '' && !add.isPending
  return (
    <form
      className="box stack gap-12 setup-box"
      aria-label="Add domain"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSubmit) add.mutate(name.trim())
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose?.()}
    >
      <h2>Add a domain that you send from</h2>
      <Field
        label="Domain name"
        hint="The part after the @ of your sender addresses. You need access to its DNS records."
        required
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        inputMode="url"
        maxLength={300}
        placeholder="mail.example.com"
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value)
          add.reset()
        }}
        error={add.error ? messageOf(add.error) : undefined}
      />
      <div className="row">
        <Button look="strong" type="submit" disabled={!canSubmit}>
          {add.isPending ? 'Adding…' : 'Add domain'}
        </Button>
        {onClose && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </form>
  )
}
