/** On servers that answer every request with their name. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { Address, type ServerRequest } from './address.ts'
import { Addresses } from './addresses.ts'

/** One address for each name; nobody listens at that of an undefined one. */
async function open(...names: readonly (string | undefined)[]): Promise<Addresses & AsyncDisposable> {
  const servers = names.map((name) => createServer((_, response) => response.end(name)))
  const ports: number[] = []
  for (const server of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  for (const [index, server] of servers.entries()) if (names[index] === undefined) server.close()
  const addresses = new Addresses(
    ports.map((port) => new Address({ url: `http://127.0.0.1:${port}`, user: 'u', password: 'p', connections: 1 })),
  )
  return Object.assign(addresses, {
    async [Symbol.asyncDispose]() {
      await addresses.close()
      for (const server of servers) server.close()
    },
  })
}

function request(): ServerRequest {
  return { sql: 'SELECT 1', settings: {}, signal: AbortSignal.timeout(30_000) }
}

describe('a request to all addresses', () => {
  test('has the responses of those that answer', async () => {
    await using addresses = await open('a', undefined, 'c')
    assert.deepEqual(await addresses.all(request()), ['a', 'c'])
  })

  test('fails if none of them does', async () => {
    await using addresses = await open(undefined, undefined)
    await assert.rejects(addresses.all(request()), { code: 'storage_unavailable' })
  })
})

describe('a request that may be repeated', () => {
  test('takes turns, and goes on to the next address if one fails, which is avoided from then on', async () => {
    await using addresses = await open('a', undefined, 'c')
    assert.deepEqual([addresses.size, addresses.usable, addresses.failovers], [3, 3, 0])
    assert.equal(await addresses.any(request()), 'a')
    assert.equal(await addresses.any(request()), 'c')
    assert.deepEqual([addresses.usable, addresses.failovers], [2, 1])
    const answers = [await addresses.any(request()), await addresses.any(request()), await addresses.any(request())]
    assert.deepEqual(new Set(answers), new Set(['a', 'c']))
    assert.equal(addresses.failovers, 1)
  })

  test('fails if no address answers', async () => {
    await using addresses = await open(undefined, undefined)
    await assert.rejects(addresses.any(request()), /ECONNREFUSED/)
    assert.deepEqual([addresses.usable, addresses.failovers], [0, 1])
  })
})
