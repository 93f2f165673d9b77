/** Popover that adds a filter: first its name, then its values. */
import { useState } from 'react'
import { Icon } from '../../kit/marks/icon.tsx'
import { Popover } from '../../kit/overlays/menu.tsx'
import { FILTER_NAMES, FILTERS, type FilterName } from '../../search/log-search.ts'
import { FilterValues, moveFocusByArrows } from './filter-values.tsx'

export function FilterPopover() {
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
        <button type="button" className="chip chip-button chip-add small" data-add-filter>
          <Icon name="plus" />
          <span>Filter</span>
        </button>
      }
    >
      {name === undefined ? <Names onChoose={setName} /> : <FilterValues name={name} onDone={() => setOpen(false)} />}
    </Popover>
  )
}

function Names({ onChoose }: { readonly onChoose: (name: FilterName) => void }) {
  return (
    <div className="filter-choices" onKeyDown={moveFocusByArrows}>
      {FILTER_NAMES.filter((name) => !FILTERS[name].isUnlisted).map((name) => (
        <button
          key={name}
          type="button"
          className="row hoverable inset-focus filter-choice"
          onClick={() => onChoose(name)}
        >
          {FILTERS[name].label}
          <Icon name="right" />
        </button>
      ))}
    </div>
  )
}
