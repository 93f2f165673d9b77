/** Copies a text, and says so: beside the button for those who see, in words for those who listen. */
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  readonly text: string | (() => string)
  /** Such as "Copy id". */
  readonly label: string
  /** Shows the words too, not the icon alone. */
  readonly isWordy?: boolean
}

const SAID_MS = 1600

export function CopyButton({ text, label, isWordy = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    copyText(typeof text === 'string' ? text : text()).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  }
  const said = outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Could not copy' : ''
  const spoken = (
    <span className="visually-hidden" role="status">
      {said}
    </span>
  )
  if (isWordy) {
    return (
      <Button look="quiet" icon={outcome === 'copied' ? 'check' : 'copy'} onClick={copy}>
        {said || label}
        {spoken}
      </Button>
    )
  }
  return (
    <button type="button" className="icon-button" aria-label={label} title={said || label} onClick={copy}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      {spoken}
    </button>
  )
}

/** The clipboard of the browser needs https or localhost; a console behind plain http still has to copy. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('the browser does not let pages copy')
}
