/** A window over the page: holds the focus while it is open, Escape closes it. */
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly description?: ReactNode
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, onClose, description, children }: DialogProps) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="dialog-backdrop" />
        <BaseDialog.Popup className="dialog">
          <header className="dialog-head">
            <BaseDialog.Title>{title}</BaseDialog.Title>
            <BaseDialog.Close className="icon-button" aria-label="Close">
              <Icon name="close" />
            </BaseDialog.Close>
          </header>
          {description && <BaseDialog.Description className="dialog-text">{description}</BaseDialog.Description>}
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
