/** Form fields: a label above, a hint or an error message below. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import './field.css'

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
}

export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId()
  const isDescribed = error !== undefined || hint !== undefined
  return (
    <div className="stack gap-4 field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        {...(isDescribed && { 'aria-describedby': `${id}-hint` })}
        {...input}
      />
      {isDescribed && (
        <p id={`${id}-hint`} className={error === undefined ? 'muted small' : 'field-error'} role={error && 'alert'}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

interface CheckboxProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: string
}

export function Checkbox({ label, hint, ...input }: CheckboxProps) {
  return (
    <label className="row checkbox">
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint && <span className="muted small"> {hint}</span>}
      </span>
    </label>
  )
}
