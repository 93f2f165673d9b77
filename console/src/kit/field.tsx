/** A form's fields: a label above, a hint or what is wrong below. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import './field.css'

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | undefined
}

export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId()
  const isDescribed = problem !== undefined || hint !== undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        aria-invalid={problem !== undefined}
        {...(isDescribed && { 'aria-describedby': `${id}-hint` })}
        {...input}
      />
      {isDescribed && (
        <p
          id={`${id}-hint`}
          className={problem === undefined ? 'field-hint' : 'field-problem'}
          role={problem && 'alert'}
        >
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps extends ComponentProps<'select'> {
  readonly label: string
}

export function Choice({ label, children, ...select }: ChoiceProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" {...select}>
        {children}
      </select>
    </div>
  )
}

interface TickProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: string
}

export function Tick({ label, hint, ...input }: TickProps) {
  return (
    <label className="tick">
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint && <span className="field-hint"> {hint}</span>}
      </span>
    </label>
  )
}
