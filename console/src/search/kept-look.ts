/** The look of the log that was chosen last in this browser. */
import { type LogLook, readLook } from './log-look.ts'

const STORAGE_KEY = 'envelog.log-look'

/** Nothing chosen if the browser keeps nothing, or nothing that can be read. */
export function readKeptLook(): LogLook {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null')
    return typeof kept === 'object' && kept !== null ? readLook(kept) : {}
  } catch {
    return {}
  }
}

/** A browser that keeps nothing shows the choice until the page is closed: it is part of the address. */
export function keepLook(look: LogLook): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(look))
  } catch {
    // Full, or forbidden by the visitor.
  }
}
