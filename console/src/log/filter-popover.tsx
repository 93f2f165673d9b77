/** Adds a filter: which one, then its values. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from '../kit/icon.tsx'
import { Popover } from '../kit/menu.tsx'
import { FilterValues, walkChoices } from './filter-values.tsx'
import { FILTER_LABELS, FILTER_NAMES, type FilterName, type LogSearch } from './log-search.ts'
import type { ChangeSearch } from './use-log-search.ts'

interface FilterProps {
  readonly search: LogSearch
  readonly onChange: ChangeSearch
}

export function FilterPopover({ search, onChange }: FilterProps) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState<FilterName>()
  const openChange = (next: boolean) => {
    setOpen(next)
    if (next) setName(undefined)
  }
  return (
    <Popover
      title="Add a filter"
      isOpen={isOpen}
      onOpenChange={openChange}
      trigger={
        <button type="button" className="chip chip-button chip-add" data-add-filter>
          <Icon name="plus" />
          <span>Filter</span>
        </button>
      }
    >
      {name === undefined ? (
        <Names onChoose={setName} />
      ) : (
        <FirstFocused>
          <FilterValues name={name} search={search} onChange={onChange} onDone={() => setOpen(false)} />
        </FirstFocused>
      )}
    </Popover>
  )
}

function Names({ onChoose }: { readonly onChoose: (name: FilterName) => void }) {
  return (
    <div className="filter-choices" onKeyDown={walkChoices}>
      {FILTER_NAMES.map((name) => (
        <button key={name} type="button" className="filter-choice" onClick={() => onChoose(name)}>
          {FILTER_LABELS[name]}
          <Icon name="right" />
        </button>
      ))}
    </div>
  )
}

/** What had the focus is gone; the first of the values takes it, also where they come a moment later. */
function FirstFocused({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const focus = () => {
      const first = place.current?.querySelector<HTMLElement>('input')
      first?.focus()
      return first !== undefined && first !== null
    }
    if (focus() || !place.current) return
    const observer = new MutationObserver(() => focus() && observer.disconnect())
    observer.observe(place.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return <div ref={place}>{children}</div>
}
