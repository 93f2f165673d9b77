/** The values of one filter: a list to choose from where the values are known, a text field otherwise. */
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useDomains } from '../../api/domains.ts'
import { DAY_MS, useSeries } from '../../api/series.ts'
import { useScope } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { EVENT_KINDS, EVENT_TYPES } from '../../kit/marks/event-kinds.ts'
import { TypeGlyph } from '../../kit/marks/event-type.tsx'
import { formatShortCount } from '../../kit/text/format.ts'
import { FILTERS, type FilterName, withFilterValue } from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { labelOfValue } from '../../search/value-label.ts'

interface ValuesProps {
  readonly name: FilterName
  readonly onDone: () => void
}

export function FilterValues(props: ValuesProps) {
  const { name } = props
  if (name === 'type') return <Options {...props} options={TYPE_OPTIONS} />
  if (name === 'domain') return <DomainValues {...props} />
  if (name === 'provider' || name === 'classification') return <CountedValues {...props} />
  return <TypedValue {...props} />
}

interface Option {
  readonly value: string
  /** The value itself if missing. */
  readonly label?: ReactNode
  readonly note?: string
}

const TYPE_OPTIONS: readonly Option[] = EVENT_TYPES.map((type) => ({
  value: type,
  label: (
    <>
      <TypeGlyph type={type} /> {EVENT_KINDS[type].label}
    </>
  ),
  note: EVENT_KINDS[type].meaning,
}))

function DomainValues(props: ValuesProps) {
  const { data, isError, isEnabled } = useDomains()
  if (!isEnabled || isError) return <TypedValue {...props} />
  return <Options {...props} options={data?.domains.map(({ name }) => ({ value: name })) ?? []} />
}

/** The values that occur, most frequent first. */
function CountedValues(props: ValuesProps) {
  const from = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10)
  const params = new URLSearchParams({ group: props.name, bucket: 'day', from, limit: '30' })
  const { data, isError, isEnabled } = useSeries(params, { isEnabled: useScope('domainStats') })
  if (!isEnabled || isError) return <TypedValue {...props} />
  const named = data?.series.filter(({ key }) => key !== '') ?? []
  return (
    <Options {...props} options={named.map(({ key, total }) => ({ value: key, note: formatShortCount(total) }))}>
      {data?.series.length === 0 && <p className="muted">None in the last 30 days.</p>}
    </Options>
  )
}

function TypedValue({ name, onDone }: ValuesProps) {
  const [search, onChange] = useLogSearch()
  const { label, hint, placeholder } = FILTERS[name]
  const [text, setText] = useState('')
  return (
    <form
      className="stack gap-12 filter-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        onChange(withFilterValue(search, name, text.trim(), true))
        onDone()
      }}
    >
      <Field
        label={label}
        hint={hint}
        placeholder={placeholder}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        {...(name === 'code' && { pattern: '[0-9]{1,3}|[0-9][xX]{2}|[0-9]{2}[xX]|[0-9]{1,3}-[0-9]{1,3}' })}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button look="strong" type="submit">
        Add filter
      </Button>
    </form>
  )
}

interface OptionsProps extends ValuesProps {
  readonly options: readonly Option[]
  readonly children?: ReactNode
}

function Options({ name, options, children }: OptionsProps) {
  const [search, onChange] = useLogSearch()
  return (
    <fieldset className="filter-choices" onKeyDown={moveFocusByArrows}>
      <legend className="muted small medium filter-legend">{FILTERS[name].label}</legend>
      {options.map(({ value, label = <bdi className="foreign">{labelOfValue(name, value)}</bdi>, note }, index) => (
        <label key={value} className="row hoverable filter-choice">
          <input
            type="checkbox"
            // The filter's name, which had the focus, is gone.
            autoFocus={index === 0}
            checked={search.filters[name]?.includes(value) ?? false}
            onChange={(event) => onChange(withFilterValue(search, name, value, event.currentTarget.checked))}
          />
          <span className="filter-choice-text">{label}</span>
          {note && <span className="push muted small menu-item-note">{note}</span>}
        </label>
      ))}
      {children}
    </fieldset>
  )
}

export function moveFocusByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const choices = [...event.currentTarget.querySelectorAll<HTMLElement>('button, input')]
  const index = choices.indexOf(document.activeElement as HTMLElement)
  choices[(index + step + choices.length) % choices.length]?.focus()
  event.preventDefault()
}
