import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { brokenOffAtClose, pacedStream } from './paced-stream.ts'

const PIECE = 'x'.repeat(100_000)

test('nothing is produced faster than the reader consumes it', async () => {
  let made = 0
  let ended = 0
  const pieces = (async function* () {
    for (; made < 1000; made++) yield PIECE
  })()
  const stream = pacedStream(pieces, () => ended++)
  for (let taken = 0; taken < 3; taken++) {
    if (stream.readableLength === 0) await once(stream, 'readable')
    assert.notEqual(stream.read(), null)
  }
  await new Promise((resolve) => setImmediate(resolve))
  assert(made < 8, `${made} were made`)
  stream.destroy()
  await once(stream, 'close')
  assert.equal(ended, 1)
})

test('a client that disconnects ends the work, and an error ends the response', async () => {
  let isCleanedUp = false
  const pieces = (async function* () {
    try {
      for (;;) yield PIECE
    } finally {
      isCleanedUp = true
    }
  })()
  const stream = pacedStream(pieces, () => undefined)
  await once(stream, 'readable')
  stream.destroy()
  await once(stream, 'close')
  assert(isCleanedUp)

  let ended = 0
  const broken = (async function* () {
    yield 'a'
    throw new Error('no disk')
  })()
  const failing = pacedStream(broken, () => ended++)
  failing.resume()
  const [error] = (await once(failing, 'error')) as [Error]
  assert.match(error.message, /no disk/)
  if (!failing.closed) await once(failing, 'close')
  assert.equal(ended, 1)
})

test('empty pieces are skipped, all others are sent unchanged', async () => {
  const pieces = (async function* () {
    yield 'a'
    yield ''
    yield 'ä😀'
  })()
  const chunks: Buffer[] = []
  for await (const chunk of pacedStream(pieces, () => undefined)) chunks.push(chunk as Buffer)
  assert.equal(Buffer.concat(chunks).toString(), 'aä😀')
})

test('a slow reader gets everything; one that reads nothing for a minute is disconnected', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const pieces = (async function* () {
    for (;;) yield 'x'.repeat(1_000_000)
  })()
  const stream = pacedStream(pieces, () => undefined)
  let stalls = 0
  stream.once('stalled', () => stalls++)
  stream.read(0)
  for (let round = 0; round < 10; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    assert((stream.read(Math.min(50_000, stream.readableLength)) as Buffer | null)?.length)
    await new Promise((resolve) => setImmediate(resolve))
    context.mock.timers.tick(20_000)
  }
  assert(!stream.destroyed)
  assert.equal(stalls, 0)
  context.mock.timers.tick(60_000)
  assert(stream.destroyed)
  assert.equal(stalls, 1)
})

test('pieces of every length arrive whole, texts as UTF-8', async () => {
  const pieces = [0, 1, 65_535, 65_536, 65_537, 200_000].map((length) => Buffer.alloc(length, String(length % 7)))
  const stream = pacedStream(
    (async function* () {
      yield* pieces
      yield 'ö'
    })(),
  )
  assert.ok((await buffer(stream)).equals(Buffer.concat([...pieces, Buffer.from('ö')])))
})

test('a server that closes breaks off the responses that are still being sent', async () => {
  const hooks: (() => Promise<void>)[] = []
  const scope = { addHook: (_name: string, hook: () => Promise<void>) => void hooks.push(hook) }
  const track = brokenOffAtClose(scope as unknown as FastifyInstance)
  async function* endless() {
    for (;;) yield 'x'
  }
  async function* short() {
    yield 'x'
  }
  const [open, done] = [track(pacedStream(endless())), track(pacedStream(short()))]
  assert.equal((await buffer(done)).toString(), 'x')
  const closed = once(open, 'close')
  for (const hook of hooks) await hook()
  await closed
  assert.deepEqual([open.destroyed, open.readableEnded, done.readableEnded], [true, false, true])
})
