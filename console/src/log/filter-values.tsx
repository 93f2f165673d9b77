/** The values of one filter: what can be chosen is shown, the most frequent first; what cannot is typed. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { DomainSummaries } from '../../../src/http/v1/domains.wire.ts'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { request } from '../api/request.ts'
import { useScope } from '../frame/session-context.ts'
import { Button } from '../kit/button.tsx'
import { EVENT_KINDS, EVENT_TYPES } from '../kit/event-kinds.ts'
import { TypeGlyph } from '../kit/event-type.tsx'
import { Field } from '../kit/field.tsx'
import { formatShortCount } from '../kit/format.ts'
import { printable } from '../kit/printable.ts'
import { FILTER_LABELS, type FilterName, type LogSearch, withFilterValue } from './log-search.ts'
import type { ChangeSearch } from './use-log-search.ts'

interface ValuesProps {
  readonly search: LogSearch
  readonly onChange: ChangeSearch
  readonly name: FilterName
  readonly onDone: () => void
}

export function FilterValues(props: ValuesProps) {
  switch (props.name) {
    case 'type':
      return <TypeValues {...props} />
    case 'domain':
      return <DomainValues {...props} />
    case 'provider':
    case 'classification':
      return <CountedValues {...props} group={props.name} />
    case 'code':
      return <TypedValue {...props} placeholder="550" hint="One code (550), a class (4xx) or a range (400-499)." />
    case 'message_id':
      return <TypedValue {...props} placeholder="0b7f3c1e-5a7e-…" hint="The whole id." />
    case 'recipient':
    case 'subject':
    case 'sender':
    case 'header_from':
      return <TypedValue {...props} hint="Any part of it; capitals do not matter." />
  }
}

function TypeValues({ search, onChange }: ValuesProps) {
  return (
    <Choices title="Type">
      {EVENT_TYPES.map((type) => (
        <Choice
          key={type}
          isTicked={search.filters.type?.includes(type) ?? false}
          onToggle={(isOn) => onChange(withFilterValue(search, 'type', type, isOn))}
          note={EVENT_KINDS[type].meaning}
        >
          <TypeGlyph type={type} /> {EVENT_KINDS[type].label}
        </Choice>
      ))}
    </Choices>
  )
}

function DomainValues(props: ValuesProps) {
  const canList = useScope('domains')
  const { data, isError } = useQuery({
    queryKey: ['domains'],
    queryFn: ({ signal }) => request<DomainSummaries>('/v1/domains', { signal }),
    enabled: canList,
  })
  if (!canList || isError) return <TypedValue {...props} placeholder="example.com" hint="The whole name." />
  const { search, onChange } = props
  return (
    <Choices title="Domain">
      {(data?.domains ?? []).map(({ name }) => (
        <Choice
          key={name}
          isTicked={search.filters.domain?.includes(name) ?? false}
          onToggle={(isOn) => onChange(withFilterValue(search, 'domain', name, isOn))}
        >
          {name}
        </Choice>
      ))}
    </Choices>
  )
}

/** Values that occur, the most frequent first. */
function CountedValues(props: ValuesProps & { readonly group: 'provider' | 'classification' }) {
  const { group, search, onChange } = props
  const canCount = useScope('domainStats')
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
  const { data, isError } = useQuery({
    queryKey: ['series', 'values', group, from],
    queryFn: ({ signal }) =>
      request<Series>(`/v1/stats/series?group=${group}&bucket=day&from=${from}&limit=30`, { signal }),
    enabled: canCount,
  })
  if (!canCount || isError) return <TypedValue {...props} hint="Exactly as it is written." />
  return (
    <Choices title={FILTER_LABELS[group]}>
      {(data?.series ?? [])
        .filter(({ key }) => key !== '')
        .map(({ key, total }) => (
          <Choice
            key={key}
            isTicked={search.filters[group]?.includes(key) ?? false}
            onToggle={(isOn) => onChange(withFilterValue(search, group, key, isOn))}
            note={formatShortCount(total)}
          >
            <bdi className="foreign">{printable(key)}</bdi>
          </Choice>
        ))}
      {data?.series.length === 0 && <p className="muted">None in the last 30 days.</p>}
    </Choices>
  )
}

function TypedValue({ name, search, onChange, onDone, hint, placeholder }: ValuesProps & TypedValueProps) {
  const [text, setText] = useState('')
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        onChange(withFilterValue(search, name, text.trim(), true))
        onDone()
      }}
    >
      <Field
        label={FILTER_LABELS[name]}
        hint={hint}
        placeholder={placeholder}
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

interface TypedValueProps {
  readonly hint: string
  readonly placeholder?: string
}

function Choices({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="filter-choices" onKeyDown={walkChoices}>
      <legend className="filter-legend">{title}</legend>
      {children}
    </fieldset>
  )
}

interface ChoiceProps {
  readonly isTicked: boolean
  readonly onToggle: (isOn: boolean) => void
  readonly children: ReactNode
  readonly note?: string
}

function Choice({ isTicked, onToggle, children, note }: ChoiceProps) {
  return (
    <label className="filter-choice">
      <input type="checkbox" checked={isTicked} onChange={(event) => onToggle(event.currentTarget.checked)} />
      <span className="filter-choice-text">{children}</span>
      {note && <span className="menu-item-note">{note}</span>}
    </label>
  )
}

export function walkChoices(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const choices = [...event.currentTarget.querySelectorAll<HTMLElement>('button, input')]
  const index = choices.indexOf(document.activeElement as HTMLElement)
  choices[(index + step + choices.length) % choices.length]?.focus()
  event.preventDefault()
}
