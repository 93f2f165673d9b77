/** A value that the log can be filtered by, wherever it is shown: a menu to see only events with it, or none. */
import type { ReactNode } from 'react'
import { Menu, MenuItem } from '../kit/overlays/menu.tsx'
import { type ExcludableName, excludingName, FILTERS, withValue } from './log-search.ts'
import { useLogSearch } from './use-log-search.ts'
import './value-menu.css'

interface ValueMenuProps {
  readonly name: ExcludableName
  readonly value: string
  readonly children: ReactNode
}

export function ValueMenu({ name, value, children }: ValueMenuProps) {
  const [search, onChange] = useLogSearch()
  const label = FILTERS[name].label.toLowerCase()
  const isOnly = search.filters[name]?.includes(value) ?? false
  const isLeftOut = search.filters[excludingName(name)]?.includes(value) ?? false
  const change = (isWanted: boolean) => onChange(withValue(search, name, value, isWanted))
  return (
    <Menu
      trigger={
        <button type="button" className="value-button" title={`Filter by this ${label}`}>
          {children}
        </button>
      }
    >
      <MenuItem onSelect={() => change(true)}>{isOnly ? `Any ${label}` : `Only this ${label}`}</MenuItem>
      <MenuItem onSelect={() => change(false)}>
        {isLeftOut ? `Do not leave out this ${label}` : `Leave out this ${label}`}
      </MenuItem>
    </Menu>
  )
}
