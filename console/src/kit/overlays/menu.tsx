/** Menus and popovers that open from a button. */
import { createContext, type KeyboardEvent, type ReactNode, useContext, useState } from 'react'
import { Icon } from '../marks/icon.tsx'
import { Floating, type FloatingProps } from './floating.tsx'
import './menu.css'

type MenuProps = Pick<FloatingProps, 'trigger' | 'align' | 'side' | 'label' | 'children'>

const CloseContext = createContext<() => void>(() => undefined)

export function Menu({ children, ...place }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Floating
      {...place}
      role="menu"
      className="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onKeyDown={(event) => {
        if (event.key === 'Tab') setOpen(false)
        else moveFocus(event)
      }}
    >
      <CloseContext value={() => setOpen(false)}>{children}</CloseContext>
    </Floating>
  )
}

/** Arrows, Home and End. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]:not([aria-disabled])')]
  const index = items.indexOf(document.activeElement as HTMLElement)
  const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key]
  if (target === undefined) return
  items.at(target % items.length)?.focus()
  event.preventDefault()
  event.stopPropagation()
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly note?: ReactNode
}

export function MenuItem({ onSelect, children, note }: MenuItemProps) {
  const close = useContext(CloseContext)
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className="row menu-item"
      // The pointer and the arrow keys highlight the same item.
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        close()
        onSelect()
      }}
    >
      <span className="menu-item-text">{children}</span>
      {note && <span className="push muted small menu-item-note">{note}</span>}
    </button>
  )
}

interface MenuChoiceProps extends MenuItemProps {
  /** `radio`: exactly one of its group is chosen. */
  readonly kind: 'checkbox' | 'radio'
  readonly isChecked: boolean
}

/** Leaves the menu open: several choices are often made one after the other. */
export function MenuChoice({ kind, isChecked, onSelect, children, note }: MenuChoiceProps) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support it
    <button
      type="button"
      role={`menuitem${kind}`}
      aria-checked={isChecked}
      tabIndex={-1}
      className="row menu-item"
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={onSelect}
    >
      <span className="menu-check">{isChecked && <Icon name="check" />}</span>
      <span className="menu-item-text">{children}</span>
      {note && <span className="push muted small menu-item-note">{note}</span>}
    </button>
  )
}

export function MenuGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={title} className="menu-group">
      <div aria-hidden="true" className="muted small medium menu-group-title">
        {title}
      </div>
      {children}
    </div>
  )
}

interface MenuFactProps {
  readonly value: string
  /** Needs attention. */
  readonly isBad?: boolean
  readonly children: ReactNode
}

/** A line to read, not to choose. */
export function MenuFact({ value, isBad = false, children }: MenuFactProps) {
  return (
    <div role="menuitem" aria-disabled="true" className="row small menu-item menu-fact">
      <span className="menu-item-text">{children}</span>
      <span className={`push menu-item-note ${isBad ? 'toned tone-red' : ''}`}>{value}</span>
    </div>
  )
}

interface PopoverProps extends Pick<FloatingProps, 'trigger' | 'children' | 'isOpen' | 'onOpenChange'> {
  readonly title: string
}

export function Popover({ title, ...popover }: PopoverProps) {
  return <Floating {...popover} role="dialog" label={title} className="menu menu-form" />
}
