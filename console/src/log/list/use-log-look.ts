/** The look of the list: what the address says, or what was chosen last; and as much of it as there is room for. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { useReading } from '../../api/reading.ts'
import { keepLook, readKeptLook } from '../../search/kept-look.ts'
import { COLUMNS_OF_ALL_TENANTS, type LogLook } from '../../search/log-look.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { type FittedLook, fitColumns } from './fit-columns.ts'

export interface ShownLook {
  readonly look: LogLook
  readonly fitted: FittedLook
  readonly change: (look: LogLook) => void
}

/** `element`: as wide as the list; null before it is mounted. */
export function useLogLook(element: HTMLElement | null): ShownLook {
  const [search, changeSearch] = useLogSearch()
  const [kept, setKept] = useState(readKeptLook)
  const widthPx = useWidth(element)
  const { isOperator, tenantId } = useReading()
  const isNamed = Object.keys(search.look).length > 0
  const chosen = isNamed ? search.look : kept
  const ofAllTenants = isOperator && tenantId === undefined
  const look = useMemo(
    () => (ofAllTenants && !chosen.columns ? { ...chosen, columns: COLUMNS_OF_ALL_TENANTS } : chosen),
    [chosen, ofAllTenants],
  )
  const fitted = useMemo(() => fitColumns(look, widthPx), [look, widthPx])
  // In the address even if it was chosen on another day, so that a copied link shows the same.
  useEffect(() => {
    if (!isNamed && Object.keys(kept).length > 0) changeSearch({ ...search, look: kept }, { isReplacing: true })
  }, [isNamed, kept, search, changeSearch])
  const change = (next: LogLook) => {
    keepLook(next)
    setKept(next)
    changeSearch({ ...search, look: next }, { isReplacing: true })
  }
  return { look, fitted, change }
}

/** Of the element, measured before it is painted. */
function useWidth(element: HTMLElement | null): number {
  const [widthPx, setWidth] = useState(innerWidth)
  useLayoutEffect(() => {
    if (!element) return
    const update = () => setWidth(element.clientWidth)
    update()
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return widthPx
}
