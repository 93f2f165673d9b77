/** Menus and popovers that open from a button. */
import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Popover as BasePopover } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'
import './menu.css'

interface MenuProps {
  /** The button; it receives the props that open the menu. */
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
}

export function Menu({ trigger, children, align = 'start', side = 'bottom' }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-positioner" side={side} sideOffset={4} align={align}>
          <BaseMenu.Popup className="overlay fading menu">{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly note?: ReactNode
}

export function MenuItem({ onSelect, children, note }: MenuItemProps) {
  return (
    <BaseMenu.Item className="row menu-item" onClick={onSelect}>
      <span className="menu-item-text">{children}</span>
      {note && <span className="push muted small menu-item-note">{note}</span>}
    </BaseMenu.Item>
  )
}

interface PopoverProps extends Pick<MenuProps, 'trigger' | 'children'> {
  readonly title: string
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

export function Popover({ trigger, title, children, isOpen, onOpenChange }: PopoverProps) {
  return (
    <BasePopover.Root open={isOpen} onOpenChange={onOpenChange}>
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal>
        <BasePopover.Positioner className="menu-positioner" sideOffset={4} align="start">
          <BasePopover.Popup className="overlay fading menu menu-form" aria-label={title}>
            {children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  )
}
