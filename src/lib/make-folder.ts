/** Creates a folder that only its owner may enter, with the folders above it that are missing. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Not by mkdir's own `recursive`: it never returns if a folder cannot be created in one that exists and the system says ENOENT,
 * as it does below /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (!existsSync(path)) throw error
  }
}
