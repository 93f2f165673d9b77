/** Search field for addresses, subjects and message IDs. On the log page it filters while typing; elsewhere Enter opens the log. */
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Icon } from '../kit/marks/icon.tsx'
import '../kit/field.css'
import { parseLogSearch } from '../search/log-search.ts'
import { useLogSearch } from '../search/use-log-search.ts'

const TYPING_MS = 200

export function SearchBox() {
  const [search, changeSearch] = useLogSearch()
  const isOnLog = useLocation()[0] === '/log'
  const shown = isOnLog ? search.q : ''
  const [text, setText] = useState(shown)
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Follows changes of the address that come from elsewhere.
  useEffect(() => setText(shown), [shown])

  const go = (q: string) => {
    clearTimeout(typed.current)
    const rest = isOnLog ? search : parseLogSearch('')
    changeSearch({ ...rest, q: q.trim(), message: undefined }, { isReplacing: isOnLog })
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
        // Leaves the arrow keys and shortcuts to the results.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label="Search the log"
        placeholder="Search by address, subject or message ID"
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
