import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { nextDay, startOfDay, withZone } from './zone.ts'

const HOUR_MS = 3_600_000

/** Runs an expression in a process whose time zone is this one. */
function inZone<T>(zone: string, expression: string): T {
  const module = JSON.stringify(join(import.meta.dirname, 'zone.ts'))
  const script = `const { startOfDay, nextDay } = await import(${module}); console.log(JSON.stringify(${expression}))`
  const env = { ...process.env, TZ: zone }
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { env }).toString()) as T
}

test('days begin at midnight of the zone, also when the clock changes, and follow each other without a gap', () => {
  const noon = Date.UTC(2026, 2, 29, 12)
  assert.equal(startOfDay(noon, 'utc'), Date.UTC(2026, 2, 29))
  assert.equal(nextDay(Date.UTC(2026, 2, 29), 'utc'), Date.UTC(2026, 2, 30))
  // Summer time begins on 29 March 2026 and ends on 25 October: days of 23 and 25 hours.
  const starts = (at: number) => `(() => { const from = startOfDay(${at}); return [from, nextDay(from)] })()`
  assert.deepEqual(inZone('Europe/Berlin', starts(noon)), [Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)])
  const autumn = Date.UTC(2026, 9, 25, 12)
  const [from, to] = inZone<[number, number]>('Europe/Berlin', starts(autumn))
  assert.equal((to - from) / HOUR_MS, 25)
})

test('where the offset is not a whole hour, a day begins with the first whole hour of UTC', () => {
  const start = inZone<number>('Asia/Kolkata', `startOfDay(${Date.UTC(2026, 0, 15, 12)})`)
  assert.equal(start, Date.UTC(2026, 0, 14, 19), '00:30 in India')
  const early = inZone<number>('Asia/Kolkata', `startOfDay(${Date.UTC(2026, 0, 14, 18, 45)})`)
  assert.equal(early, Date.UTC(2026, 0, 13, 19), 'the first half hour belongs to the day before')
})

test('the zone is added to the address beside the rest', () => {
  assert.equal(withZone('?type=Bounce', 'utc'), '?type=Bounce&tz=utc')
  assert.equal(withZone('?tz=utc&q=a', 'local'), '?tz=local&q=a')
})
