import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { getRequest, postRequest } from './http-connection.ts'
import { keepPace, saturate } from './http-load.ts'

async function listen(handler: RequestListener): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer(handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function times(count: number, request: Buffer): () => Buffer | undefined {
  let left = count
  return () => (left-- > 0 ? request : undefined)
}

describe('load', () => {
  test('sends every request once over all connections and sees whole answers, whatever their size', async () => {
    const bodies: string[] = []
    await using server = await listen((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString())
        const body = Buffer.alloc(300_000, 'x')
        response.writeHead(200, { 'content-length': body.length }).end(body)
      })
    })
    const sizes: number[] = []
    const request = postRequest('/', 'key', Buffer.from('hello'))
    const result = await saturate(server.address, 4, times(20, request), (body) => sizes.push(body.length))
    assert.equal(result.requests, 20)
    assert.equal(result.latenciesMs.length, 20)
    assert.deepEqual(bodies, Array(20).fill('hello'))
    assert.deepEqual(sizes, Array(20).fill(300_000))
  })

  test('fails with the words of an answer that is not 200', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(503, { 'content-length': 4 }).end('full')
    })
    const request = getRequest('/', 'key')
    await assert.rejects(saturate(server.address, 2, times(5, request)), /503: full/)
    const pace = { perSecond: 100, seconds: 1, connections: 1 }
    await assert.rejects(keepPace(server.address, pace, times(100, request)), /503: full/)
  })

  test('at a pace counts the time that a request waits for a connection', async () => {
    const held: (() => void)[] = []
    await using server = await listen((_request, response) => {
      const answer = () => response.writeHead(200, { 'content-length': 2 }).end('ok')
      // The first is held back until the others are long due.
      if (held.length === 0) held.push(answer)
      else answer()
    })
    const dueAt: number[] = []
    let releasedAt = Number.POSITIVE_INFINITY
    const next = () => {
      dueAt.push(performance.now())
      if (dueAt.length === 5) {
        setImmediate(() => {
          releasedAt = performance.now()
          held[0]?.()
        })
      }
      return getRequest('/', 'key')
    }
    const { latenciesMs } = await keepPace(server.address, { perSecond: 100, seconds: 0.05, connections: 1 }, next)
    assert.equal(latenciesMs.length, 5)
    for (const [index, due] of dueAt.entries()) assert.ok((latenciesMs[index] ?? 0) >= releasedAt - due - 1)
  })
})
