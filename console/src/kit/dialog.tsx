/** Modal dialogs: hold the focus while open; Escape closes them. */
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './marks/icon.tsx'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly onClose: () => void
  readonly description?: ReactNode
  readonly children: ReactNode
}

export function Dialog({ title, isOpen = true, onClose, description, children }: DialogProps) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fading dialog-backdrop" />
        <BaseDialog.Popup className="overlay fading stack gap-16 dialog">
          <header className="row spread dialog-head">
            <BaseDialog.Title>{title}</BaseDialog.Title>
            <BaseDialog.Close className="icon-button" aria-label="Close">
              <Icon name="close" />
            </BaseDialog.Close>
          </header>
          {description && <BaseDialog.Description className="soft">{description}</BaseDialog.Description>}
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

interface FormDialogProps extends DialogProps {
  /** What the submit button does, such as "Create key". */
  readonly action: string
  readonly look?: 'strong' | 'danger'
  readonly canSubmit: boolean
  readonly onSubmit: () => void
}

export function FormDialog({ action, look = 'strong', canSubmit, onSubmit, children, ...dialog }: FormDialogProps) {
  return (
    <Dialog {...dialog}>
      <form
        className="stack gap-16"
        onSubmit={(event) => {
          event.preventDefault()
          if (canSubmit) onSubmit()
        }}
      >
        {children}
        <div className="row dialog-actions">
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button look={look} type="submit" disabled={!canSubmit}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface DialogButtonProps {
  readonly label: string
  readonly dialog: ComponentType<{ readonly onClose: () => void }>
}

/** The main action of a page: opens a dialog. */
export function DialogButton({ label, dialog: Opened }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="strong" icon="plus" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Opened onClose={() => setOpen(false)} />}
    </>
  )
}
