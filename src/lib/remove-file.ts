/** Removes a file, if it is there. */
import { unlinkSync } from 'node:fs'

/** Unlike those of `rmSync`, its errors always have a code: for some, such as EIO, that one throws an "Unknown error" without any. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
