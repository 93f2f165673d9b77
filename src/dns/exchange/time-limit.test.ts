import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { test } from 'node:test'
import { limitTime } from './time-limit.ts'

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test('it aborts with the other signal, on request, when it is disposed, and after its time', async () => {
  const outer = new AbortController()
  const [byOuter, byRequest, byTime] = [limitTime(outer.signal), limitTime(outer.signal), limitTime(outer.signal, 1)]
  byRequest.abort()
  assert.equal(byRequest.signal.aborted, true)
  if (!byTime.signal.aborted) await once(byTime.signal, 'abort')
  assert.equal(byOuter.signal.aborted, false)
  outer.abort()
  assert.equal(byOuter.signal.aborted, true)
  assert.equal(limitTime(outer.signal).signal.aborted, true, 'of a signal that has aborted before')
  const disposed = limitTime(new AbortController().signal)
  disposed[Symbol.dispose]()
  assert.equal(disposed.signal.aborted, true)
})

test('it leaves neither a listener nor a timer', () => {
  const outer = new AbortController()
  const before = timers()
  const limit = limitTime(outer.signal, 60_000)
  assert.equal(getEventListeners(outer.signal, 'abort').length, 1)
  assert.equal(timers(), before + 1)
  limit.abort()
  assert.equal(getEventListeners(outer.signal, 'abort').length, 0)
  assert.equal(timers(), before)
  outer.abort()
  limitTime(outer.signal, 60_000)
  assert.equal(timers(), before)
})
