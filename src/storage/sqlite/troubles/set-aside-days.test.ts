import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DayTrouble } from '../../storage.ts'
import { SetAsideDays } from './set-aside-days.ts'

function trouble(day: string, kind: DayTrouble['kind'] = 'damaged'): DayTrouble {
  return { day, kind, sinceMs: 1, detail: kind }
}

test('days are listed newest first, each with its first reason, unless that was the disk', () => {
  const days = new SetAsideDays([trouble('2026-03-02')])
  assert.equal(days.add(trouble('2026-03-01', 'unreadable')), true)
  assert.equal(days.add(trouble('2026-03-03')), true)
  assert.equal(days.add(trouble('2026-03-01', 'unreadable')), false)
  assert.equal(days.add(trouble('2026-03-02', 'missing')), false)
  assert.equal(days.add(trouble('2026-03-02', 'unreadable')), false)
  assert.equal(days.add(trouble('2026-03-01', 'damaged')), true)
  assert.deepEqual(
    days.list.map(({ day, kind }) => [day, kind]),
    [
      ['2026-03-03', 'damaged'],
      ['2026-03-02', 'damaged'],
      ['2026-03-01', 'damaged'],
    ],
  )
  assert.equal(days.find('2026-03-02')?.kind, 'damaged')
  assert.equal(days.find('2026-03-04'), undefined)
})

test('a listener hears of days that are already set aside, of new ones, and of those that are used again', () => {
  const days = new SetAsideDays([trouble('2026-03-02')])
  const told: string[] = []
  days.follow(
    ({ day }) => told.push(`aside ${day}`),
    ({ day }) => told.push(`back ${day}`),
  )
  days.add(trouble('2026-03-03'))
  days.add(trouble('2026-03-03'))
  assert.equal(days.takenBack, 0)
  days.remove('2026-03-02')
  days.remove('2026-03-02')
  assert.deepEqual(told, ['aside 2026-03-02', 'aside 2026-03-03', 'back 2026-03-02'])
  assert.equal(days.takenBack, 1)
  assert.deepEqual(
    days.list.map(({ day }) => day),
    ['2026-03-03'],
  )
})
