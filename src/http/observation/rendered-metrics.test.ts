import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RenderedMetrics } from './rendered-metrics.ts'

test('a thousand requests in a row render a few times, and all of them get an answer', async () => {
  let renderings = 0
  const metrics = new RenderedMetrics(async () => `rendering ${++renderings}`)
  for (let request = 1; request <= 20; request++) assert.equal(await metrics.get(), `rendering ${request}`)
  for (let request = 0; request < 1000; request++) assert.match(await metrics.get(), /^rendering \d+$/)
  // Two a second are added to the burst, on however slow a machine.
  assert.ok(renderings >= 20 && renderings < 100, `${renderings} renderings`)
})

test('requests at the same time share a rendering', async () => {
  let renderings = 0
  const rendered = Promise.withResolvers<string>()
  const metrics = new RenderedMetrics(() => {
    renderings += 1
    return rendered.promise
  })
  const requests = Array.from({ length: 100 }, () => metrics.get())
  rendered.resolve('text')
  assert.deepEqual(new Set(await Promise.all(requests)), new Set(['text']))
  assert.equal(renderings, 1)
})

test('a failure is not kept for the next request', async () => {
  let isFailing = true
  const metrics = new RenderedMetrics(async () => {
    if (isFailing) throw new Error('no')
    return 'text'
  })
  // More often than it may be rendered at once.
  for (let request = 0; request < 30; request++) await assert.rejects(metrics.get(), /no/)
  isFailing = false
  assert.equal(await metrics.get(), 'text')
})
