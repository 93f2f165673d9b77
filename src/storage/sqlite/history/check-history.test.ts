import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { checkHistory } from './check-history.ts'
import { historyPath, openHistoryForWriting } from './history-database.ts'
import { numberOfDay } from './span.ts'

const DAYS: readonly Day[] = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']

/** All days are summarized as they are. */
function openScene(files?: (dataDir: string) => DayFiles) {
  const folder = openTemporaryFolder()
  const dataDir = folder.path
  const real = new DayFiles(dataDir)
  {
    using db = openHistoryForWriting(dataDir)
    for (const day of DAYS) {
      real.openForWriting(day, 1024).close()
      const { size, mtimeMs } = statSync(real.path(day))
      db.run('INSERT INTO day VALUES (?, 0, 1, 1, 1, ?, ?)', numberOfDay(day), size, mtimeMs)
    }
  }
  return {
    dataDir,
    path: (day: Day) => real.path(day),
    check: () => checkHistory(dataDir, files?.(dataDir) ?? real),
    change(sql: string, day: Day) {
      using db = new Database(historyPath(dataDir))
      db.run(sql, numberOfDay(day))
    },
    listOpen() {
      using db = new Database(historyPath(dataDir), { readOnly: true })
      const open = db.allArrays<[number]>('SELECT day FROM day WHERE is_open = 1').map(([day]) => day)
      return DAYS.filter((day) => open.includes(numberOfDay(day)))
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('days whose files are not the summarized ones are open, and no others', () => {
  using scene = openScene()
  {
    // Without a change nothing is written, and nobody who writes is waited for.
    using other = new Database(historyPath(scene.dataDir))
    other.execute('BEGIN IMMEDIATE')
    scene.check()
  }
  assert.deepEqual(scene.listOpen(), [])
  const [, longer, later, continued] = DAYS as [Day, Day, Day, Day, Day]
  scene.change('UPDATE day SET bytes = bytes - 1 WHERE day = ?', longer)
  scene.change('UPDATE day SET modified_ms = modified_ms - 1 WHERE day = ?', later)
  writeFileSync(`${scene.path(continued)}-wal`, 'commits that are not in the file')
  scene.check()
  assert.deepEqual(scene.listOpen(), [longer, later, continued])
})

test('what cannot be compared is deleted; a failure of the program is passed on and deletes nothing', () => {
  const failing = (error: Error) => (dataDir: string) => {
    return new (class extends DayFiles {
      override path(): string {
        throw error
      }
    })(dataDir)
  }
  using mistaken = openScene(failing(new TypeError('a mistake')))
  assert.throws(() => mistaken.check(), { message: 'a mistake' })
  assert.ok(existsSync(historyPath(mistaken.dataDir)))
  using unreadable = openScene(failing(Object.assign(new Error('the disk fails'), { code: 'EIO' })))
  unreadable.check()
  assert.ok(!existsSync(historyPath(unreadable.dataDir)))
})
