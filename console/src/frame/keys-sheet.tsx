/** `?`: all keys on one sheet. */
import { Dialog } from '../kit/dialog.tsx'
import type { Page } from './pages.ts'

interface KeysSheetProps {
  readonly pages: readonly Page[]
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function KeysSheet({ pages, isOpen, onClose }: KeysSheetProps) {
  const hasLog = pages.some(({ path }) => path === '/log')
  const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    [
      'Everywhere',
      [
        ...(hasLog ? ([['/', 'Search']] as const) : []),
        ...pages.map(({ letter, title }) => [`g ${letter}`, title] as const),
        ['?', 'This sheet'],
        ['Esc', 'Close what is open'],
      ],
    ],
    ...(hasLog
      ? ([
          [
            'In the log',
            [
              ['↓ ↑', 'Next and previous event'],
              ['Enter', 'Open the message'],
              ['Home End', 'Newest, and the last that is loaded'],
              ['f', 'Add a filter'],
              ['l', 'Follow new events'],
              ['r', 'Load again'],
            ],
          ],
        ] as const)
      : []),
  ]
  return (
    <Dialog title="Keyboard" isOpen={isOpen} onClose={onClose}>
      {groups.map(([title, keys]) => (
        <section key={title} className="keys">
          <h3>{title}</h3>
          <dl>
            {keys.map(([key, what]) => (
              <div key={key} className="keys-row">
                <dt>
                  {key.split(' ').map((part) => (
                    <kbd key={part}>{part}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
