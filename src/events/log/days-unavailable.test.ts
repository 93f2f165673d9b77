import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DaysUnavailableError } from './days-unavailable.ts'

test('up to five days are named, the others counted, and the sender is asked to wait', () => {
  const days = Array.from({ length: 7 }, (_, index) => `2026-03-0${index + 1}`)
  const one = new DaysUnavailableError(days.slice(0, 1))
  assert.match(one.message, /^Events of 2026-03-01 cannot be stored at the moment: the day is set aside\./)
  const five = new DaysUnavailableError(days.slice(0, 5))
  assert.match(
    five.message,
    /^Events of 2026-03-01, .*, 2026-03-05 cannot be stored at the moment: these days are set aside\./,
  )
  const seven = new DaysUnavailableError(days)
  assert.match(seven.message, /2026-03-05 and 2 more days cannot/)
  assert.deepEqual([seven.stored, new DaysUnavailableError(days, 3).stored], [0, 3])
  assert.deepEqual([seven.days, seven.code, seven.retryAfterSeconds], [days, 'storage_unavailable', 60])
})
