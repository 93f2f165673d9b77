/** A table of up to a few hundred rows. On a telephone each row is a card, with the titles of the columns in front of the values. */
import { Children, type ReactNode, useLayoutEffect, useRef } from 'react'
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

/** Rows of one body. A body with all of its rows is removed at once; to remove hundreds of rows one by one takes noticeably long. */
const BODY_ROWS = 60

export function Table({ columns, className = '', label, children }: TableProps) {
  const table = useRef<HTMLTableElement>(null)
  // Rows come from the pages, which need not repeat the titles.
  useLayoutEffect(() => {
    const labels = columns.map(labelOf)
    for (const { rows } of table.current?.tBodies ?? []) {
      for (const { cells } of rows) {
        for (const [index, label] of labels.entries()) {
          const cell = cells[index]
          if (cell && index > 0 && label !== undefined && cell.dataset['label'] !== label) cell.dataset['label'] = label
        }
      }
    }
  })
  const rows = Children.toArray(children)
  const bodies = Array.from({ length: Math.ceil(rows.length / BODY_ROWS) }, (_, index) => ({
    index,
    rows: rows.slice(index * BODY_ROWS, (index + 1) * BODY_ROWS),
  }))
  const focusable = label === undefined ? {} : { role: 'group', 'aria-label': label, tabIndex: 0 }
  return (
    <div className="box table-scroll" {...focusable}>
      <table ref={table} className={`table small ${className}`}>
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
        {bodies.map(({ index, rows: ofBody }) => (
          <tbody key={index}>{ofBody}</tbody>
        ))}
      </table>
    </div>
  )
}

function labelOf(column: string | Column): string | undefined {
  if (typeof column === 'string') return column
  return column.isTitleHidden ? undefined : column.title
}

function SortButton({ title, order, onSort }: ColumnSort & { readonly title: string }) {
  return (
    <button type="button" className="row gap-4 sort-button" data-order={order} onClick={onSort}>
      {title}
      <Icon name="down" />
    </button>
  )
}
