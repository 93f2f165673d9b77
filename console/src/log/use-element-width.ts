/** How wide an element is at the moment: what fits depends on the panel beside it, not on the screen. */
import { useLayoutEffect, useState } from 'react'

/** 0 before it is known. */
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
