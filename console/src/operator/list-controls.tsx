/** Search field and order above a list, and the pages below it. */
import { useEffect, useRef, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { formatCount } from '../kit/text/format.ts'
import { type ListSearch, PAGE_ROWS } from './list-search.ts'

interface ListControlsProps {
  readonly list: ListSearch
  readonly onChange: (change: Partial<ListSearch>) => void
  /** What is searched, such as "Search tenants". */
  readonly label: string
  readonly placeholder: string
  readonly sorts?: readonly { readonly value: string; readonly label: string }[]
}

const TYPING_MS = 200

export function ListControls({ list, onChange, label, placeholder, sorts = [] }: ListControlsProps) {
  const [text, setText] = useState(list.search)
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText((typing) => (typing.trim() === list.search ? typing : list.search)), [list.search])
  useEffect(() => () => clearTimeout(typed.current), [])
  return (
    <div className="row wrap list-controls">
      <input
        className="input list-search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => {
          const next = event.currentTarget.value
          setText(next)
          clearTimeout(typed.current)
          typed.current = setTimeout(() => onChange({ search: next.trim() }), TYPING_MS)
        }}
      />
      {sorts.length > 0 && (
        <select
          className="input list-sort"
          aria-label="Order"
          value={list.sort}
          onChange={(event) => onChange({ sort: event.currentTarget.value })}
        >
          {sorts.map(({ value, label: title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

interface PagerProps extends Pick<ListControlsProps, 'list' | 'onChange'> {
  /** Of all pages. */
  readonly count: number
}

/** Nothing if there is only one page. */
export function Pager({ list: { page }, onChange, count }: PagerProps) {
  const pages = Math.max(1, Math.ceil(count / PAGE_ROWS))
  if (pages === 1 && page === 1) return null
  const first = (page - 1) * PAGE_ROWS + 1
  return (
    <nav className="row wrap" aria-label="Pages of the list">
      <Button disabled={page <= 1} onClick={() => onChange({ page: page - 1 })}>
        Previous
      </Button>
      <Button disabled={page >= pages} onClick={() => onChange({ page: page + 1 })}>
        Next
      </Button>
      <span className="muted small" role="status">
        {first > count
          ? `There is no page ${formatCount(page)}.`
          : `${formatCount(first)} to ${formatCount(Math.min(count, page * PAGE_ROWS))} of ${formatCount(count)}`}
      </span>
    </nav>
  )
}
