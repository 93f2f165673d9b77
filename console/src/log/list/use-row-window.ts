/** Windowing of a long list. All rows have the same height, so rows off the screen need no memory. */
import { useCallback, useLayoutEffect, useState } from 'react'

/** Rows drawn above and below the screen, so that fast scrolling does not show gaps. */
const OVERSCAN_ROWS = 8

interface RowWindow {
  /** Both included; `last` may be beyond the end. */
  readonly first: number
  readonly last: number
}

export interface Rows extends RowWindow {
  /** Scrolls just far enough to show the whole row. */
  readonly reveal: (index: number) => void
}

/** `element` scrolls; null before it is mounted. */
export function useRowWindow(element: HTMLElement | null, rowPx: number): Rows {
  const [{ first, last }, setWindow] = useState<RowWindow>({ first: 0, last: 40 })
  useLayoutEffect(() => {
    if (!element) return
    const update = () => {
      const next = {
        first: Math.max(0, Math.floor(element.scrollTop / rowPx) - OVERSCAN_ROWS),
        last: Math.ceil((element.scrollTop + element.clientHeight) / rowPx) + OVERSCAN_ROWS,
      }
      setWindow((previous) => (previous.first === next.first && previous.last === next.last ? previous : next))
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
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

/** 0 before it is known. The width of the list, unlike that of the screen, depends on the panel beside it. */
export function useElementWidth(element: HTMLElement | null): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return width
}
