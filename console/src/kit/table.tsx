/** A table of up to a few hundred rows. On a telephone each row is a card, with the titles of the columns in front of the values. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import './table.css'

export interface Column {
  readonly title: string
  /** What the column shows, as a tooltip. */
  readonly hint?: string
  readonly isNumber?: boolean
  /** For screen readers only, where the cells explain themselves. */
  readonly isTitleHidden?: boolean
}

interface TableProps {
  readonly columns: readonly (string | Column)[]
  readonly className?: string
  /** For a table without links and buttons: it gets the focus itself, so that it can be scrolled with the keyboard. */
  readonly label?: string
  /** The rows. */
  readonly children: ReactNode
}

export function Table({ columns, className = '', label, children }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  // Rows come from the pages, which need not repeat the titles.
  useLayoutEffect(() => {
    for (const { cells } of body.current?.rows ?? []) {
      for (const [index, cell] of [...cells].entries()) {
        const column = columns[index]
        const isShown = typeof column === 'string' || column?.isTitleHidden !== true
        if (isShown && index > 0) cell.dataset['label'] = typeof column === 'string' ? column : column?.title
      }
    }
  })
  const focusable = label === undefined ? {} : { role: 'group', 'aria-label': label, tabIndex: 0 }
  return (
    <div className="box table-scroll" {...focusable}>
      <table className={`table small ${className}`}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { title, hint, ...look }: Column = typeof column === 'string' ? { title: column } : column
              const { isNumber, isTitleHidden } = look
              return (
                <th key={title} title={hint} className={isNumber ? 'number' : undefined}>
                  {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  )
}
