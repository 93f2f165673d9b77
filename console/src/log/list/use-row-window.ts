/** Windowing of a long list. All rows have the same height, so rows off the screen need no memory. */
import { useLayoutEffect, useState } from 'react'

/** Rows drawn above and below the screen, so that fast scrolling does not show gaps. */
const OVERSCAN_ROWS = 8
const ROW_PX = { wide: 36, narrow: 76 } as const
const NARROW_PX = 600

interface RowWindow {
  /** Depends on the width of the list, which, unlike that of the screen, depends on the panel beside it. */
  readonly layout: keyof typeof ROW_PX
  /** Both included; `last` may be beyond the end. */
  readonly first: number
  readonly last: number
}

export interface Rows extends RowWindow {
  readonly rowPx: number
  /** Scrolls just far enough to show the whole row. */
  readonly reveal: (index: number) => void
}

/** `element` scrolls; null before it is mounted. */
export function useRowWindow(element: HTMLElement | null): Rows {
  const [rows, setRows] = useState<RowWindow>({ layout: 'wide', first: 0, last: 40 })
  useLayoutEffect(() => {
    if (!element) return
    const update = () => setRows((previous) => updated(previous, element))
    update()
    element.addEventListener('scroll', update, { passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
      observer.disconnect()
    }
  }, [element])
  const rowPx = ROW_PX[rows.layout]
  const reveal = (index: number) => {
    if (!element) return
    const [top, bottom] = [index * rowPx, (index + 1) * rowPx]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }
  return { ...rows, rowPx, reveal }
}

/** The same object if nothing has changed. */
function updated(previous: RowWindow, { scrollTop, clientHeight, clientWidth }: HTMLElement): RowWindow {
  const layout = clientWidth > 0 && clientWidth < NARROW_PX ? 'narrow' : 'wide'
  const first = Math.max(0, Math.floor(scrollTop / ROW_PX[layout]) - OVERSCAN_ROWS)
  const last = Math.ceil((scrollTop + clientHeight) / ROW_PX[layout]) + OVERSCAN_ROWS
  const isSame = previous.layout === layout && previous.first === first && previous.last === last
  return isSame ? previous : { layout, first, last }
}
