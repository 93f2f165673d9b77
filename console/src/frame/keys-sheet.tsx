/** `?`: all keyboard shortcuts. */
import { Dialog } from '../kit/overlays/dialog.tsx'
import type { Page } from './pages.ts'

interface KeysSheetProps {
  readonly pages: readonly Page[]
  readonly isOpen: boolean
  readonly onClose: () => void
}

type Shortcut = readonly [keys: string, effect: string]

const LOG_SHORTCUTS: readonly Shortcut[] = [
  ['↓ ↑', 'Next or previous event'],
  ['Enter', 'Open the message'],
  ['Home End', 'First or last loaded event'],
  ['f', 'Add a filter'],
  ['v', 'Saved views'],
  ['c', 'Columns and density'],
  ['l', 'Follow new events'],
  ['p', 'Pause and resume'],
  ['r', 'Reload'],
]

export function KeysSheet({ pages, isOpen, onClose }: KeysSheetProps) {
  const hasLog = pages.some(({ path }) => path === '/log')
  const everywhere: readonly Shortcut[] = [
    ...(hasLog ? ([['/', 'Search; ↓ lists the operators, Enter opens the first event']] as const) : []),
    ...pages.map(({ letter, title }) => [`g ${letter}`, `Go to ${title}`] as const),
    ['?', 'Keyboard shortcuts'],
    ['Esc', 'Close the panel or dialog'],
  ]
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <Shortcuts title="Everywhere" shortcuts={everywhere} />
      {hasLog && <Shortcuts title="In the log" shortcuts={LOG_SHORTCUTS} />}
    </Dialog>
  )
}

function Shortcuts({ title, shortcuts }: { readonly title: string; readonly shortcuts: readonly Shortcut[] }) {
  return (
    <section className="stack">
      <h3 className="muted medium">{title}</h3>
      <dl>
        {shortcuts.map(([keys, effect]) => (
          <div key={keys} className="row gap-12 keys-row">
            <dt className="row gap-4">
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
