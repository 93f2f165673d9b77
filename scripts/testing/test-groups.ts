/**
 * Test files that share a process in a whole run. Most of them take a fraction of a second, less than it takes to start a process and
 * to load the modules they test.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SUITE_SERVERS } from './suite-servers.ts'
import { LONGEST } from './test-order.ts'

const FILES_MAX = 12

/** Those under test/ start programs, or read the whole checkout, and those of clients/ load a script that awaits. */
const FOLDERS = /^(src|console|bench)\//

/**
 * What belongs to the process: its environment, arguments, flags and listeners, and whatever is measured of it, to which all
 * files before would contribute.
 */
const OF_PROCESS =
  /\bprocess\.(argv|chdir|cpuUsage|env|exit|exitCode|getActiveResourcesInfo|memoryUsage|on|once|resourceUsage|threadCpuUsage|umask)\b|\bsetFlagsFromString\b/

/** Those of a group are loaded by `require`, which cannot wait. */
const AWAITS_AT_TOP = /^(?:(?:export )?(?:const|let) .*= )?await /m

const SHARE_PROCESS = join(import.meta.dirname, '../../test/harness/share-process.ts')

export interface TestGroups {
  readonly groups: readonly (readonly string[])[]
  /** Those that have a process of their own, in the given order. */
  readonly alone: readonly string[]
}

/** `files` are paths in the folder `root`. The files of a folder come together, because they load the same modules. */
export function groupTests(root: string, files: readonly string[]): TestGroups {
  const sharing = new Set(files.filter((file) => mayShare(file, readFileSync(join(root, file), 'utf8'))))
  return { groups: divide([...sharing].sort()), alone: files.filter((file) => !sharing.has(file)) }
}

/**
 * Writes a module for each group that runs its files, and returns their paths. They stay there until the next time, to run a group
 * once more with `node`.
 */
export function writeGroups(root: string, groups: TestGroups['groups'], folder: string): readonly string[] {
  // Nothing is removed: another run in this checkout may still need it.
  mkdirSync(folder, { recursive: true })
  return groups.map((files, index) => {
    const area = dirname(files[0] ?? '').replaceAll('/', '-')
    const path = join(folder, `${index + 1}-${area}.mjs`)
    const lines = [
      `import { shareProcess } from ${JSON.stringify(SHARE_PROCESS)}`,
      `shareProcess(${JSON.stringify(root)}, ${JSON.stringify(files, undefined, 2)})`,
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  })
}

function mayShare(file: string, source: string): boolean {
  if (!FOLDERS.test(file) || file in SUITE_SERVERS || LONGEST.includes(file)) return false
  return !OF_PROCESS.test(source) && !AWAITS_AT_TOP.test(source)
}

/** Into parts of about the same length. */
function divide(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / FILES_MAX)
  const startOf = (part: number) => Math.round((part * files.length) / count)
  return Array.from({ length: count }, (_, part) => files.slice(startOf(part), startOf(part + 1)))
}
