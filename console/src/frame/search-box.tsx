/**
 * Search field for words, addresses and operators, with completion. On the log page it filters while typing; elsewhere Enter opens the
 * log. Enter moves to the first event found, and opens its message if an address or an id was searched for.
 */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { parseSearch } from '../../../src/events/search/parse-search.ts'
import { Icon } from '../kit/marks/icon.tsx'
import '../kit/field.css'
import '../kit/overlays/menu.css'
import './search-box.css'
import type { Completion } from '../search/completions.ts'
import { wantFirstResult } from '../search/first-result.ts'
import { parseLogSearch } from '../search/log-search.ts'
import { useCompletions } from '../search/use-completions.ts'
import { useLogSearch } from '../search/use-log-search.ts'

const TYPING_MS = 200

export function SearchBox() {
  const [search, changeSearch] = useLogSearch()
  const isOnLog = useLocation()[0] === '/log'
  const shown = isOnLog ? search.q : ''
  const [text, setText] = useState(shown)
  const [problem, setProblem] = useState<string>()
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Follows changes of the address that come from elsewhere; a space at the end is the beginning of the next word.
  useEffect(() => {
    setText((typing) => (typing.trim() === shown ? typing : shown))
    setProblem(undefined)
  }, [shown])

  /** False if it cannot be understood: what is shown stays as it is, and the field says why. */
  const go = (q: string): boolean => {
    clearTimeout(typed.current)
    const parsed = parseSearch(q)
    setProblem('problem' in parsed ? parsed.problem : undefined)
    if ('problem' in parsed) return false
    const rest = isOnLog ? search : parseLogSearch('')
    changeSearch({ ...rest, q: q.trim(), message: undefined }, { isReplacing: isOnLog })
    return true
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(typed.current)
    if (isOnLog) typed.current = setTimeout(() => go(next), TYPING_MS)
  }
  const submit = () => {
    if (!go(text)) return
    // Leaves the arrow keys and shortcuts to the results.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    if (text.trim() !== '') wantFirstResult(text.trim())
  }
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Icon name="search" />
      <SearchInput text={text} problem={problem} onType={type} />
      <span className="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </form>
  )
}

interface SearchInputProps {
  readonly text: string
  readonly problem: string | undefined
  readonly onType: (text: string) => void
}

/** A combobox: the focus stays in the field, and the arrow keys choose a completion. */
function SearchInput({ text, problem, onType }: SearchInputProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [caret, setCaret] = useState(0)
  /** Closed, open for what is typed, or open for all operators. */
  const [state, setState] = useState<'closed' | 'typing' | 'all'>('closed')
  const [active, setActive] = useState(-1)
  const isActive = state !== 'closed'
  const completions = useCompletions({ text, caret, isActive, isAll: state === 'all' })
  const isOpen = isActive && completions.length > 0
  const current = isOpen ? completions[active] : undefined
  const close = () => {
    setState('closed')
    setActive(-1)
  }
  const choose = (completion: Completion) => {
    onType(completion.text)
    setCaret(completion.caret)
    setActive(-1)
    // An operator is followed by its values.
    setState('typing')
    requestAnimationFrame(() => input.current?.setSelectionRange(completion.caret, completion.caret))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && !isOpen) {
      setCaret(event.currentTarget.selectionStart ?? text.length)
      setState('all')
    } else if (step !== undefined) {
      const places = completions.length + 1
      setActive(((active + 1 + step + places) % places) - 1)
    } else if (event.key === 'Enter' && current) choose(current)
    else if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Escape') return event.currentTarget.blur()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <input
        ref={input}
        type="search"
        className="input"
        role="combobox"
        aria-label="Search the log"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={current ? `${id}-${active}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder="Search by address, subject or message ID"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          onType(event.currentTarget.value)
          setCaret(event.currentTarget.selectionStart ?? event.currentTarget.value.length)
          setState('typing')
          setActive(-1)
        }}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Completions"
        className="overlay menu search-list"
        hidden={!isOpen}
      >
        {(isOpen ? completions : []).map((completion, index) => (
          <div
            key={completion.term}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            data-highlighted={index === active ? '' : undefined}
            className="row menu-item"
            // Not at the click, when the field would have lost the focus.
            onPointerDown={(event) => {
              event.preventDefault()
              choose(completion)
            }}
          >
            <code className="menu-item-text foreign">{completion.term}</code>
            <span className="push muted small menu-item-note">{completion.note}</span>
          </div>
        ))}
      </div>
      <p
        id={`${id}-problem`}
        role="alert"
        className="overlay small foreign search-problem"
        hidden={problem === undefined}
      >
        {problem}
      </p>
    </>
  )
}
