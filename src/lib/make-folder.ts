/** Creates a folder that only its owner may enter, with the folders above it that are missing. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Not by mkdir's own `recursive`: it never returns if a folder cannot be created in one that exists and the system says ENOENT,
 * as it does below /proc.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
