/** Copies a text and confirms it, on the button and to screen readers. */
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'

interface CopyButtonProps {
  readonly text: string | (() => string)
  /** Such as "Copy ID". */
  readonly label: string
  /** Shows the label, not only the icon. */
  readonly hasLabel?: boolean
}

const CONFIRM_MS = 1600

export function CopyButton({ text, label, hasLabel = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'Copied' | 'Could not copy'>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), CONFIRM_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    copyText(typeof text === 'string' ? text : text()).then(
      () => setOutcome('Copied'),
      () => setOutcome('Could not copy'),
    )
  }
  const icon = outcome === 'Copied' ? 'check' : 'copy'
  const status = (
    <span className="visually-hidden" role="status">
      {outcome}
    </span>
  )
  if (hasLabel) {
    return (
      <Button look="quiet" icon={icon} onClick={copy}>
        {outcome ?? label}
        {status}
      </Button>
    )
  }
  return (
    <IconButton icon={icon} label={label} title={outcome ?? label} onClick={copy}>
      {status}
    </IconButton>
  )
}

/** navigator.clipboard exists only over https and on localhost; a console served over plain http uses execCommand. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('the browser refused to copy')
}
