/** Popover that adds a filter: first its name, then its values. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from '../../kit/marks/icon.tsx'
import { Popover } from '../../kit/menu.tsx'
import { FILTER_LABELS, FILTER_NAMES, type FilterName, type LogSearch } from '../../search/log-search.ts'
import type { ChangeSearch } from '../../search/use-log-search.ts'
import { FilterValues, moveFocusByArrows } from './filter-values.tsx'

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
    <div className="filter-choices" onKeyDown={moveFocusByArrows}>
      {FILTER_NAMES.map((name) => (
        <button key={name} type="button" className="filter-choice" onClick={() => onChoose(name)}>
          {FILTER_LABELS[name]}
          <Icon name="right" />
        </button>
      ))}
    </div>
  )
}

/** Moves the focus from the filter's name, which is gone, to the first value, even if the values load later. */
function FirstFocused({ children }: { readonly children: ReactNode }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = container.current
    const focusFirst = () => {
      const first = element?.querySelector<HTMLElement>('input') ?? undefined
      first?.focus()
      return first !== undefined
    }
    if (focusFirst() || !element) return
    const observer = new MutationObserver(() => focusFirst() && observer.disconnect())
    observer.observe(element, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return <div ref={container}>{children}</div>
}
