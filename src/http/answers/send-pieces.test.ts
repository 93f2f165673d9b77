import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { sendPieces } from './send-pieces.ts'

async function ask(pieces: () => AsyncGenerator<string>) {
  const app = fastify()
  app.get('/', (_request, reply) => sendPieces(reply.type('text/plain'), pieces()))
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

test('an error in the first pieces becomes the response', async () => {
  const { statusCode } = await ask(async function* () {
    yield 'one'
    throw new AppError('not_found', 'gone')
  })
  assert.equal(statusCode, 500)
})
