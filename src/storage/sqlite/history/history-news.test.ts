import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HistoryNews } from './history-news.ts'
import type { HistoryNotice } from './history-notice.ts'

test('a watcher gets all news until it leaves, and the number of remaining days stays current without it', () => {
  const news = new HistoryNews()
  const seen: unknown[] = []
  const watching = news.watch((progress) => seen.push(progress))
  assert.equal(news.remaining, undefined)
  const first: HistoryNotice = { notice: 'history', summarized: [], remaining: 3 }
  const failure: HistoryNotice = { notice: 'history', failed: 'a reason' }
  for (const notice of [first, failure]) news.publish(notice)
  assert.deepEqual([seen, news.remaining], [[first, failure], 3])
  watching[Symbol.dispose]()
  news.publish({ notice: 'history', summarized: [], remaining: 2 })
  assert.deepEqual([seen.length, news.remaining], [2, 2])
})

test('what every reading thread asks for at once is done once, and may fail', async () => {
  const news = new HistoryNews()
  let discarded = 0
  for (const _ of [1, 2, 3]) {
    news.discard(async () => {
      discarded++
      throw new Error('it cannot be deleted')
    })
  }
  await new Promise(setImmediate)
  assert.equal(discarded, 1)
})
