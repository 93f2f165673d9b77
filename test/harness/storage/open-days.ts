/** Day files that this process has open. */
import { readdirSync, readlinkSync } from 'node:fs'
import type { DayFiles } from '../../../src/storage/sqlite/days/day-files.ts'

/** The days, oldest first, each once. */
export function listOpenDays(files: DayFiles): readonly string[] {
  const paths = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // The one that listed the folder.
      return []
    }
  })
  const own = paths.filter((path) => path.startsWith(files.folder) && path.endsWith('.db'))
  return [...new Set(own)].map((path) => path.slice(-13, -3)).sort()
}
