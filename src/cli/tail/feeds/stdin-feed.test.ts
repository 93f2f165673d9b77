import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { StdinFeed } from './stdin-feed.ts'

function openPipe() {
  const pipe = new PassThrough()
  const feed = new StdinFeed(pipe as unknown as NodeJS.ReadStream)
  const take = async () => {
    for (;;) {
      const portion = await feed.next()
      if (portion) return portion.lines.map(String)
      await setImmediate()
    }
  }
  return { pipe, feed, take }
}

test('a pipe returns the lines so far, and at the end the last one without a line end', async () => {
  const { pipe, feed, take } = openPipe()
  assert.equal(await feed.next(), undefined)
  pipe.write('a\nb\nc')
  assert.deepEqual(await take(), ['a', 'b'])
  assert.equal(feed.hasEnded, false)
  pipe.end()
  assert.deepEqual(await take(), ['c'])
  assert.equal(feed.hasEnded, true)
  assert.equal(await feed.next(), undefined)
})

test('a pipe that writes faster than it is read has to wait', async () => {
  const { pipe, take } = openPipe()
  pipe.write('x\n'.repeat(20_000))
  while (!pipe.isPaused()) await setImmediate()
  assert.equal((await take()).length, 20_000)
  assert.equal(pipe.isPaused(), false)
})
