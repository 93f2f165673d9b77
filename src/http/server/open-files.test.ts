import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { openFilesMax } from './open-files.ts'

test('the limit of open files is the soft one of the process; without a number there is none', () => {
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'limits')
  for (const [line, limit] of [
    ['Max open files            1024                 4096                 files', 1024],
    ['Max open files            unlimited            unlimited            files', Number.POSITIVE_INFINITY],
    ['', Number.POSITIVE_INFINITY],
  ] as const) {
    writeFileSync(file, `Limit                     Soft Limit           Hard Limit           Units\n${line}\n`)
    assert.equal(openFilesMax(file), limit)
  }
})
