import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { CountedOrigins, OTHER_ORIGINS_KEY } from './counted-origins.ts'
import { DayFiles } from './day-files.ts'

test('the first 256 origins of a domain are counted, those of the file included, and all others together', () => {
  using folder = openTemporaryFolder()
  using db = new DayFiles(folder.path).openForWriting('2026-03-01', 1024)
  for (const origin of [OTHER_ORIGINS_KEY, 5, 5, 9]) {
    db.run(
      'INSERT OR IGNORE INTO sending_per_hour (domain, hour, origin, type, provider, count) VALUES (1, ?, ?, 0, ?, 1)',
      origin,
      origin,
      '',
    )
  }
  const origins = new CountedOrigins(db)
  const choose = (from: number, to: number, domain = 1) => {
    const chosen = Array.from({ length: to - from }, (_, index) => origins.choose(domain, from + index))
    return [chosen.filter((origin) => origin !== OTHER_ORIGINS_KEY).length, chosen.length]
  }
  assert.deepEqual(choose(100, 354), [254, 254])
  assert.equal(origins.choose(1, 1000), OTHER_ORIGINS_KEY)
  assert.deepEqual(
    [5, 9, 100].map((origin) => origins.choose(1, origin)),
    [5, 9, 100],
  )
  assert.deepEqual(choose(100, 357, 2), [256, 257])
  // What was chosen is not in the file.
  origins.forget()
  assert.deepEqual([origins.choose(1, 1000), origins.choose(1, 5)], [1000, 5])
  assert.deepEqual(choose(2000, 2255), [253, 255])
})
