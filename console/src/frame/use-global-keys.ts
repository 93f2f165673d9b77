/** Global keyboard shortcuts: `/` or Ctrl+K to search, `g` and a letter to open a page, `?` for the list. */
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { linkTo, type Page } from './pages.ts'

const SEQUENCE_MS = 1200

export function useGlobalKeys(pages: readonly Page[], onShowKeys: () => void): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    let goUntil = 0
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault()
        focusSearch()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isSomethingOpen()) return
      const page = event.timeStamp < goUntil ? pages.find(({ letter }) => letter === event.key) : undefined
      goUntil = event.key === 'g' ? event.timeStamp + SEQUENCE_MS : 0
      if (page) navigate(linkTo(page))
      else if (event.key === '/') focusSearch()
      else if (event.key === '?') onShowKeys()
      else return
      event.preventDefault()
    }
    // Captures before the page's own shortcuts: `g l` opens the log and must not also toggle live mode.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [pages, navigate, onShowKeys])
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
}

/** Menus and dialogs handle their own keys. */
export function isSomethingOpen(): boolean {
  return document.querySelector('dialog, [role="dialog"], [role="menu"]') !== null
}

function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]')
  search?.focus()
  search?.select()
}
