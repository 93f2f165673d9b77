/** A modal dialog of the browser: it holds the focus, makes the rest of the page inert, and gives the focus back when it closes. */
import { type ComponentProps, useLayoutEffect, useRef } from 'react'

interface ModalProps
  extends Pick<ComponentProps<'dialog'>, 'className' | 'children' | 'aria-label' | 'aria-labelledby'> {
  readonly 'aria-describedby'?: string | undefined
  /** Escape, or a click beside it. */
  readonly onClose: () => void
}

export function Modal({ onClose, children, ...attributes }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    if (!current) return
    current.showModal()
    // The browser would choose the first button, which closes the dialog.
    current.querySelector<HTMLElement>('input, select, textarea, .input')?.focus()
    return () => current.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget && isBeside(event.currentTarget, event)) onClose()
      }}
      {...attributes}
    >
      {children}
    </dialog>
  )
}

function isBeside(element: Element, { clientX, clientY }: { readonly clientX: number; readonly clientY: number }) {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}
