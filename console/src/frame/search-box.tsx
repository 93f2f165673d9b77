/** One field for an address, a subject or a message id. On the log it narrows as one types; elsewhere Enter leads there. */
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Icon } from '../kit/icon.tsx'
import { parseLogSearch, writeLogSearch } from '../log/log-search.ts'

const TYPING_MS = 200

export function SearchBox() {
  const [location, navigate] = useLocation()
  const search = useSearch()
  const isOnLog = location === '/log'
  const shown = isOnLog ? parseLogSearch(search).q : ''
  const [text, setText] = useState(shown)
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined)
  // What the address says, whenever something else than this field has changed it.
  useEffect(() => setText(shown), [shown])

  const go = (q: string) => {
    clearTimeout(typed.current)
    const rest = isOnLog ? parseLogSearch(search) : parseLogSearch('')
    navigate(`/log${writeLogSearch({ ...rest, q: q.trim(), message: undefined })}`, { replace: isOnLog })
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(typed.current)
    if (isOnLog) typed.current = setTimeout(() => go(next), TYPING_MS)
  }
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        go(text)
        // So that the arrows, and all other keys, are for what was found.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search the log"
        placeholder="Search an address, subject or message id"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span className="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </form>
  )
}
