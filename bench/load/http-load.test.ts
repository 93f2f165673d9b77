import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { getRequest, keepPace, type LoadRequest, postRequest, saturate } from './http-load.ts'

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

function times(count: number, request: LoadRequest): () => LoadRequest | undefined {
  let left = count
  return () => (left-- > 0 ? request : undefined)
}

describe('load', () => {
  test('sends every request once over all connections and reads whole responses, whatever their size', async () => {
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
    assert.equal(result.latenciesMs.count, 20)
    assert.deepEqual(bodies, Array(20).fill('hello'))
    assert.deepEqual(sizes, Array(20).fill(300_000))
  })

  test('fails with the text of a response that is not 200', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(503, { 'content-length': 4 }).end('full')
    })
    const request = getRequest('/', 'key')
    await assert.rejects(saturate(server.address, 2, times(5, request)), /503: full/)
    const pace = { perSecond: 100, seconds: 1, connections: 1 }
    await assert.rejects(keepPace(server.address, pace, times(100, request)), /503: full/)
  })

  test('at a pace counts the time that a request waits for a connection', async () => {
    const requests = 5
    let release: (() => void) | undefined
    await using server = await listen((_request, response) => {
      const answer = () => response.writeHead(200, { 'content-length': 2 }).end('ok')
      // The first response is held back until all other requests are due.
      if (release) answer()
      else release = answer
    })
    const dueAt: number[] = []
    let releasedAt = Number.POSITIVE_INFINITY
    const next = () => {
      dueAt.push(performance.now())
      if (dueAt.length === requests) {
        setImmediate(() => {
          releasedAt = performance.now()
          release?.()
        })
      }
      return getRequest('/', 'key')
    }
    const pace = { perSecond: 100, seconds: requests / 100, connections: 1 }
    const { latenciesMs } = await keepPace(server.address, pace, next)
    assert.equal(latenciesMs.count, requests)
    // The last request waited the shortest time.
    assert.ok(latenciesMs.percentile(1) >= releasedAt - (dueAt.at(-1) ?? 0) - 1)
    assert.ok(latenciesMs.percentile(100) >= releasedAt - (dueAt[0] ?? 0) - 1)
  })
})
