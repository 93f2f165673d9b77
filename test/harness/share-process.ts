/** Runs several test files in this process: groups of scripts/testing/test-groups.ts, and those that run on another engine. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, describe } from 'node:test'

const require = createRequire(import.meta.url)

/**
 * Each file is a suite of that name, so that its hooks apply only to its own tests. It is loaded by `require`, because node:test does
 * not know the suite to which tests belong that are created later. If the process ends before all files have, it fails, whatever its
 * exit code would be.
 */
export function shareProcess(root: string, files: readonly string[]): void {
  const left = new Set(files)
  process.once('exit', () => {
    if (left.size === 0) return
    process.exitCode = 1
    process.stderr.write(`The process ended before these test files did:\n${[...left].join('\n')}\n`)
  })
  for (const file of files) {
    void describe(file, () => {
      after(() => left.delete(file))
      require(join(root, file))
    })
  }
}
