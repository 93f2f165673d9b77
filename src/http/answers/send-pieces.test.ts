import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { MissingDays } from './incomplete.ts'
import { sendPieces } from './send-pieces.ts'

async function ask(pieces: () => AsyncGenerator<string>, missing?: MissingDays) {
  const app = fastify()
  app.get('/', (_request, reply) => sendPieces(reply.type('text/plain'), pieces(), missing))
  const answer = await app.inject('/')
  await app.close()
  return answer
}

test('a short response is sent at once, with Content-Length', async () => {
  const { body, headers } = await ask(async function* () {
    yield 'one,'
    yield ''
    yield 'two'
  })
  assert.equal(body, 'one,two')
  assert.equal(headers['content-length'], '7')
})

test('a long response is a stream of all pieces, in order', async () => {
  const pieces = Array.from({ length: 50 }, (_, index) => String(index).repeat(20_000))
  const { body, headers } = await ask(async function* () {
    yield* pieces
  })
  assert.ok(body === pieces.join(''))
  assert.equal(headers['content-length'], undefined)
})

test('a response of 256 KiB is long, and its days that are missing are named as those of a short one are', async () => {
  const troubles = { list: () => [{ day: '2026-03-01' }] }
  const missing = () => new MissingDays({ capabilities: { troubles } } as unknown as Storage)
  for (const [length, isStream] of [
    [256 * 1024 - 1, false],
    [256 * 1024, true],
  ] as const) {
    const { body, headers } = await ask(async function* () {
      yield 'x'.repeat(length)
    }, missing())
    assert.equal(body.length, length)
    assert.equal(headers['content-length'] === undefined, isStream)
    assert.equal(headers['envelog-incomplete'], '2026-03-01')
  }
})

test('an error in the first pieces becomes the response', async () => {
  const { statusCode } = await ask(async function* () {
    yield 'one'
    throw new AppError('not_found', 'gone')
  })
  assert.equal(statusCode, 500)
})
