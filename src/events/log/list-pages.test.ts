import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect, delivery, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { listMessagePages, listPages } from './list-pages.ts'

test('each page is read after the position of the one before, up to the page without one', async () => {
  const asked: object[] = []
  const read = async (after: object) => {
    asked.push(after)
    const number = asked.length
    return { events: [`event ${number}`], ...(number < 3 && { next: `position ${number}` }) }
  }
  assert.deepEqual(await collect(listPages(read)), [['event 1'], ['event 2'], ['event 3']])
  // Only the first may be refused because the tenant reads too much.
  assert.deepEqual(asked, [
    {},
    { after: 'position 1', isContinuation: true },
    { after: 'position 2', isContinuation: true },
  ])
})

test('an empty page with a position is not the end', async () => {
  const pages = [{ events: [], next: '' }, { events: ['last'] }]
  assert.deepEqual(await collect(listPages(async () => pages.shift() ?? { events: [] })), [[], ['last']])
})

test('nothing more is read for a reader that stops', async () => {
  let reads = 0
  for await (const _ of listPages(async () => ({ events: [], next: String(++reads) }))) if (reads === 2) break
  assert.equal(reads, 2)
})

test('other work gets the thread between two pages', async () => {
  let turns = 0
  let pages = 0
  const read = async () => {
    setImmediate(() => turns++)
    return { events: [], ...(++pages < 3 && { next: 'x' }) }
  }
  await collect(listPages(read))
  assert.equal(turns, 2)
})

test('a message to thousands of recipients comes in several pages, each event once', async () => {
  const { append, deps, domain } = await openMemoryScene()
  await append(Array.from({ length: 3000 }, (_, index) => delivery({ recipient: `u${index}@b.test` })))
  await append([delivery({ id: 'another' })])
  const pages = await collect(listMessagePages(deps.log, [domain], 'm1'))
  assert.ok(pages.length > 1)
  assert.equal(new Set(pages.flat()).size, 3000)
})
