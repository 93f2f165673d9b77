import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { addDomain, append, withStorage } from '../../../../test/harness/storage/data-folders.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { DayFiles } from '../days/day-files.ts'
import { repairDay } from './repair-day.ts'

const DAY = '2026-03-01'
test('a repair ends when the service closes, instead of writing on, and changes nothing', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    const number = await addDomain(storage, 'a.test')
    await append(storage, number, 0, 'one', 'two')
  })
  const files = new DayFiles(folder.path)
  const before = readFileSync(files.path(DAY))
  const closing = new AbortController()
  const service = {
    dataDir: folder.path,
    files,
    // Before the thread, which is started next, has done anything.
    setAside: async () => void setImmediate(() => closing.abort()),
    takeBack: async () => undefined,
    signal: closing.signal,
  }
  const repairing = repairDay(service, DAY)
  await assert.rejects(repairing, { code: 'storage_unavailable', message: /interrupted. Nothing was changed/ })
  assert.ok(!existsSync(`${files.path(DAY)}.repair.draft`))
  assert.deepEqual(readFileSync(files.path(DAY)), before)
  assert.ok(!existsSync(`${files.path(DAY)}.damaged-1`))
})
