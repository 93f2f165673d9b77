/** Modal dialogs: hold the focus while open; Escape closes them. */
import { type ComponentType, type ReactNode, useId, useState } from 'react'
import { Button, IconButton } from '../button.tsx'
import { Modal } from './modal.tsx'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly onClose: () => void
  readonly description?: ReactNode
  readonly children: ReactNode
}

export function Dialog({ title, isOpen = true, onClose, description, children }: DialogProps) {
  const id = useId()
  if (!isOpen) return null
  return (
    <Modal
      className="overlay dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      onClose={onClose}
    >
      <div className="stack gap-16">
        <header className="row spread dialog-head">
          <h2 id={`${id}-title`}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {description && (
          <p id={`${id}-text`} className="soft">
            {description}
          </p>
        )}
        {children}
      </div>
    </Modal>
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
