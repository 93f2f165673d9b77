/** What Enter in the search field asks of the list: to move to its first row, and to open it if one message was meant. */
import { parseSearch } from '../../../src/events/search/parse-search.ts'

interface Wish {
  readonly q: string
  readonly isOpened: boolean
}

const EVENT = 'envelog-first-result'

let wish: Wish | undefined

export function wantFirstResult(q: string): void {
  wish = { q, isOpened: namesMessage(q) }
  window.dispatchEvent(new Event(EVENT))
}

/** What is wanted of the results of this search, if anything: once. */
export function takeWish(q: string): Wish | undefined {
  const taken = wish?.q === q ? wish : undefined
  if (taken) wish = undefined
  return taken
}

/** For the results that are there already. */
export function onWish(listener: () => void): () => void {
  window.addEventListener(EVENT, listener)
  return () => window.removeEventListener(EVENT, listener)
}

/** An address or an id, and nothing else: who pastes it wants to know what happened to the message. */
function namesMessage(q: string): boolean {
  const parsed = parseSearch(q)
  if ('problem' in parsed) return false
  const { texts, ids } = parsed.wanted
  return texts.length + ids.length === 1 && (ids.length === 1 || texts[0]?.text.includes('@') === true)
}
