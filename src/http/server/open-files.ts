/** How many files this process may have open, connections included. */
import { readFileSync } from 'node:fs'

/** Infinity if it is unlimited or unknown. Node raises the soft limit to the hard one when it starts. */
export function openFilesMax(limitsFile = '/proc/self/limits'): number {
  let text: string
  try {
    text = readFileSync(limitsFile, 'utf8')
  } catch {
    return Number.POSITIVE_INFINITY
  }
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? []
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}
