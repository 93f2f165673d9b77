/** What opens beside a button, above everything else: a popover of the browser, placed where there is room. */
import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, useLayoutEffect, useRef } from 'react'

export interface FloatingProps {
  /** The button; it receives the props that open and close it. */
  readonly trigger: ReactElement
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly role: 'menu' | 'dialog'
  readonly label?: string | undefined
  readonly className: string
  readonly align?: 'start' | 'end' | undefined
  readonly side?: 'top' | 'bottom' | undefined
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void
  readonly children: ReactNode
}

const GAP_PX = 4
/** Distance to the edges of the window. */
const MARGIN_PX = 8

export function Floating(props: FloatingProps) {
  const { trigger, isOpen, onOpenChange, role, label, className, align = 'start', side = 'bottom', onKeyDown } = props
  const anchor = useRef<HTMLElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const change = useRef(onOpenChange)
  change.current = onOpenChange
  useLayoutEffect(() => {
    const [button, element] = [anchor.current, popup.current]
    if (!isOpen || !button || !element) return
    element.showPopover()
    const placed = () => place(element, button.getBoundingClientRect(), align, side)
    placed()
    ;(element.querySelector<HTMLElement>('[role^="menuitem"]:not([aria-disabled]), button, input') ?? element).focus()
    const resized = new ResizeObserver(placed)
    resized.observe(element)
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !element.contains(target) && !button.contains(target)) change.current(false)
    }
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Not for the dialog or the panel below.
      event.preventDefault()
      event.stopPropagation()
      change.current(false)
    }
    document.addEventListener('pointerdown', onPointerDown, { capture: true })
    window.addEventListener('keydown', onEscape, { capture: true })
    window.addEventListener('resize', placed)
    return () => {
      resized.disconnect()
      document.removeEventListener('pointerdown', onPointerDown, { capture: true })
      window.removeEventListener('keydown', onEscape, { capture: true })
      window.removeEventListener('resize', placed)
      // The element may be removed already, and the focus with it.
      if (element.contains(document.activeElement) || document.activeElement === document.body) button.focus()
    }
  }, [isOpen, align, side])
  const button = cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    ref: anchor,
    'aria-haspopup': role,
    'aria-expanded': isOpen,
    onClick: () => onOpenChange(!isOpen),
  })
  return (
    <>
      {button}
      {isOpen && (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support it
        <div
          ref={popup}
          popover="manual"
          role={role}
          aria-label={label}
          tabIndex={-1}
          className={`overlay floating ${className}`}
          onKeyDown={onKeyDown}
        >
          {props.children}
        </div>
      )}
    </>
  )
}

/** Beside the button, on the other side if there is no room, and never outside of the window. */
function place(element: HTMLElement, button: DOMRect, align: 'start' | 'end', side: 'top' | 'bottom'): void {
  const { clientWidth: width, clientHeight: height } = document.documentElement
  const below = height - button.bottom - GAP_PX - MARGIN_PX
  const above = button.top - GAP_PX - MARGIN_PX
  const needed = element.scrollHeight
  const isAbove = side === 'top' ? above >= needed || above > below : below < needed && above > below
  element.style.setProperty('--available-height', `${isAbove ? above : below}px`)
  const { offsetWidth, offsetHeight } = element
  const left = align === 'start' ? button.left : button.right - offsetWidth
  const top = isAbove ? button.top - GAP_PX - offsetHeight : button.bottom + GAP_PX
  element.style.left = `${Math.max(MARGIN_PX, Math.min(left, width - offsetWidth - MARGIN_PX))}px`
  element.style.top = `${Math.max(MARGIN_PX, top)}px`
}
