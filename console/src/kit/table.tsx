/** A table of up to a few hundred rows, which scrolls sideways where the page is too narrow. */
import type { ReactNode } from 'react'
import './table.css'

export interface Column {
  readonly title: string
  readonly isNumber?: boolean
  /** For screen readers only, where the cells explain themselves. */
  readonly isTitleHidden?: boolean
}

interface TableProps {
  readonly columns: readonly (string | Column)[]
  readonly className?: string
  /** The rows. */
  readonly children: ReactNode
}

export function Table({ columns, className = '', children }: TableProps) {
  return (
    <div className="box table-scroll">
      <table className={`table small ${className}`}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { title, isNumber, isTitleHidden }: Column = typeof column === 'string' ? { title: column } : column
              return (
                <th key={title} className={isNumber ? 'number' : undefined}>
                  {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
