/** A table of up to a few hundred rows. On a telephone each row is a card, with the titles of the columns in front of the values. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Icon } from './marks/icon.tsx'
import './table.css'

export interface Column {
  readonly title: string
  /** What the column shows, as a tooltip. */
  readonly hint?: string
  readonly isNumber?: boolean
  /** For screen readers only, where the cells explain themselves. */
  readonly isTitleHidden?: boolean
  /** Makes the title a button that sorts the rows. */
  readonly sort?: ColumnSort
}

export interface ColumnSort {
  /** Undefined if the rows are in the order of another column. */
  readonly order: 'ascending' | 'descending' | undefined
  readonly onSort: () => void
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
              const { isNumber, isTitleHidden, sort } = look
              return (
                <th key={title} title={hint} className={isNumber ? 'number' : undefined} aria-sort={sort?.order}>
                  {isTitleHidden ? <span className="visually-hidden">{title}</span> : sort ? null : title}
                  {sort && <SortButton title={title} {...sort} />}
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

function SortButton({ title, order, onSort }: ColumnSort & { readonly title: string }) {
  return (
    <button type="button" className="row gap-4 sort-button" data-order={order} onClick={onSort}>
      {title}
      <Icon name="down" />
    </button>
  )
}
