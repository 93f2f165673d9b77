/** Windowing of a long list. All rows have the same height, so rows off the screen need no memory. */
import { useLayoutEffect, useRef, useState } from 'react'

/** Rows drawn above and below the screen, so that fast scrolling does not show gaps. */
const OVERSCAN_ROWS = 8
/** Browsers cannot lay out much higher elements (Firefox: 17 million pixels). Longer results can be exported. */
const HEIGHT_MAX_PX = 15_000_000

interface RowWindow {
  /** Both included; `last` may be beyond the end. */
  readonly first: number
  readonly last: number
}

export interface Rows extends RowWindow {
  readonly maxRows: number
  /** Scrolls just far enough to show the whole row. */
  readonly reveal: (index: number) => void
}

/** `element` scrolls; null before it is mounted. */
export function useRowWindow(element: HTMLElement | null, rowPx: number): Rows {
  const [rows, setRows] = useState<RowWindow>({ first: 0, last: 40 })
  const previousPx = useRef(rowPx)
  useLayoutEffect(() => {
    if (!element) return
    // Rows of another height: the first on the screen stays.
    if (previousPx.current !== rowPx) element.scrollTop *= rowPx / previousPx.current
    previousPx.current = rowPx
    const update = () => setRows((previous) => updated(previous, element, rowPx))
    update()
    element.addEventListener('scroll', update, { passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
      observer.disconnect()
    }
  }, [element, rowPx])
  const reveal = (index: number) => {
    if (!element) return
    const [top, bottom] = [index * rowPx, (index + 1) * rowPx]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }
  return { ...rows, maxRows: Math.floor(HEIGHT_MAX_PX / rowPx), reveal }
}

/** The same object if nothing has changed. */
function updated(previous: RowWindow, { scrollTop, clientHeight }: HTMLElement, rowPx: number): RowWindow {
  const first = Math.max(0, Math.floor(scrollTop / rowPx) - OVERSCAN_ROWS)
  const last = Math.ceil((scrollTop + clientHeight) / rowPx) + OVERSCAN_ROWS
  return previous.first === first && previous.last === last ? previous : { first, last }
}
