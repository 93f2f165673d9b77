import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { DayTrouble } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { DayTroubles } from './day-troubles.ts'

function trouble(day: string, kind: DayTrouble['kind'], sinceMs = 1, detail = 'why'): DayTrouble {
  return { day, kind, sinceMs, detail }
}

const listOf = (troubles: DayTroubles) => troubles.list().map(({ day, kind, sinceMs }) => [day, kind, sinceMs])

test('a trouble that lasts keeps its time, another one has its own; both are seen by every thread', () => {
  using folder = openTemporaryFolder()
  using control = openControlDatabase(folder.path)
  const troubles = new DayTroubles(control)
  troubles.note(trouble('2026-03-01', 'damaged', 10))
  troubles.note(trouble('2026-03-01', 'damaged', 20, 'more'))
  troubles.note(trouble('2026-03-02', 'missing', 30))
  troubles.note(trouble('2026-03-02', 'emptied', 40))
  const expected = [
    ['2026-03-02', 'emptied', 40],
    ['2026-03-01', 'damaged', 10],
  ]
  assert.deepEqual([listOf(troubles), listOf(new DayTroubles(control))], [expected, expected])
  assert.equal(troubles.find('2026-03-01')?.detail, 'more')
  troubles.clear('2026-03-01')
  assert.deepEqual([troubles.find('2026-03-01'), listOf(troubles)], [undefined, expected.slice(0, 1)])
})

test('an unreadable day is known to this thread alone, until something is noted of it or it is forgotten', () => {
  using folder = openTemporaryFolder()
  using control = openControlDatabase(folder.path)
  const troubles = new DayTroubles(control)
  troubles.note(trouble('2026-03-02', 'missing'))
  for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) troubles.note(trouble(day, 'unreadable', 5))
  troubles.note(trouble('2026-03-03', 'unreadable', 6))
  assert.deepEqual(listOf(troubles), [
    ['2026-03-03', 'unreadable', 5],
    ['2026-03-02', 'missing', 1],
    ['2026-03-01', 'unreadable', 5],
  ])
  assert.deepEqual([troubles.find('2026-03-02')?.kind, troubles.find('2026-03-01')?.kind], ['missing', 'unreadable'])
  assert.deepEqual(listOf(new DayTroubles(control)), [['2026-03-02', 'missing', 1]])
  troubles.note(trouble('2026-03-01', 'damaged', 7))
  troubles.clear('2026-03-01')
  troubles.forgetUnreadable('2026-03-03')
  troubles.clear('2026-03-02')
  assert.deepEqual(listOf(troubles), [])
})
