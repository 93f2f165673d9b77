/**
 * Whether the server has another build of the console than the one that runs here. Pages stay open for days; after an upgrade, the
 * parts that an old page has not loaded yet no longer exist.
 */
import { useSyncExternalStore } from 'react'
import { RECONNECTED } from '../api/request.ts'

/** The name of the first script contains a hash of everything. A development server has no such name. */
const ENTRY = /\/assets\/index-[\w-]+\.js/
const EVERY_MS = 5 * 60_000
/** Between two checks, whatever causes them. */
const PAUSE_MS = 10_000

const listeners = new Set<() => void>()
let isOutdated = false
let checkedAtMs = Number.NEGATIVE_INFINITY

export type Served = 'same' | 'other' | 'unreachable'

/** Asks the server which build it has. */
export async function checkVersion(): Promise<Served> {
  checkedAtMs = performance.now()
  const own = entryOf([...document.scripts].map(({ src }) => src).join(' '))
  const page = await fetch('/', { cache: 'no-store' }).then(
    (response) => (response.ok ? response.text() : undefined),
    () => undefined,
  )
  const served = page === undefined ? undefined : entryOf(page)
  if (own === undefined) return 'same'
  if (served === undefined) return 'unreachable'
  if (served === own) return 'same'
  isOutdated = true
  for (const notify of listeners) notify()
  return 'other'
}

function entryOf(text: string): string | undefined {
  return ENTRY.exec(text)?.[0]
}

/** From time to time, and whenever the page or the connection comes back. Returns a function that stops it. */
export function watchVersion(): () => void {
  const check = () => {
    const isDue = performance.now() - checkedAtMs > PAUSE_MS
    if (isDue && !isOutdated && document.visibilityState === 'visible') void checkVersion()
  }
  const timer = setInterval(check, EVERY_MS)
  document.addEventListener('visibilitychange', check)
  window.addEventListener('online', check)
  window.addEventListener(RECONNECTED, check)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
    window.removeEventListener('online', check)
    window.removeEventListener(RECONNECTED, check)
  }
}

export function useIsOutdated(): boolean {
  return useSyncExternalStore(subscribe, () => isOutdated)
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => void listeners.delete(notify)
}
