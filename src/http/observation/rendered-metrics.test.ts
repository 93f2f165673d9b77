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

test('a failure takes nothing from those who asked after it', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const renderings = [first.promise, second.promise]
  let rendered = 0
  const metrics = new RenderedMetrics(() => renderings[rendered++] ?? assert.fail('it is rendered a third time'))
  const texts = [metrics.get()]
  first.reject(new Error('no'))
  // One after each step of what the failure causes.
  for (let times = 0; times < 8; times++) {
    await Promise.resolve()
    texts.push(metrics.get())
  }
  second.resolve('fresh')
  const results = (await Promise.allSettled(texts)).map(({ status }) => status)
  assert.equal(results[0], 'rejected')
  assert.equal(results.at(-1), 'fulfilled')
  assert.equal(rendered, 2)
})
