/**
 * Which rows of a long list are on the screen. All rows have the same height, so nothing is kept for those that are not:
 * a list of a hundred thousand takes as much memory as one of fifty.
 */
import { useCallback, useLayoutEffect, useState } from 'react'

/** So many more are drawn above and below, so that quick scrolling meets rows and not the ground. */
const OVERSCAN_ROWS = 8

interface RowWindow {
  /** Both included; `last` may be beyond the end. */
  readonly first: number
  readonly last: number
}

export interface Rows extends RowWindow {
  /** Scrolls just as far as is needed to see the row whole. */
  readonly reveal: (index: number) => void
}

/** `element`: what scrolls; null while it is not there. */
export function useRowWindow(element: HTMLElement | null, rowPx: number): Rows {
  const [{ first, last }, setWindow] = useState<RowWindow>({ first: 0, last: 40 })
  useLayoutEffect(() => {
    if (!element) return
    const look = () => {
      const next = {
        first: Math.max(0, Math.floor(element.scrollTop / rowPx) - OVERSCAN_ROWS),
        last: Math.ceil((element.scrollTop + element.clientHeight) / rowPx) + OVERSCAN_ROWS,
      }
      setWindow((former) => (former.first === next.first && former.last === next.last ? former : next))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [element, rowPx])
  const reveal = useCallback(
    (index: number) => {
      if (!element) return
      const [top, bottom] = [index * rowPx, (index + 1) * rowPx]
      if (top < element.scrollTop) element.scrollTop = top
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
    },
    [element, rowPx],
  )
  return { first, last, reveal }
}
