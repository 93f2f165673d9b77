/** The client against a real server. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { CLIENT_FILE, generateClient } from '../../../scripts/write-client.ts'
import { type Installation, openInstallation } from '../../../test/harness/programs/installation.ts'
import type { ServerProcess } from '../../../test/harness/programs/server-process.ts'
import { EnvelogClient } from './client.ts'
import { ConnectionError, EnvelogError } from './errors.ts'
import type { EmailLogEvent } from './operations.ts'

let installation: Installation
let server: ServerProcess
before(async () => {
  installation = await openInstallation()
  server = await installation.start()
})
after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

function connect(key: string, url = server.address): EnvelogClient {
  return new EnvelogClient({ url, key })
}

function eventOf(index: number): EmailLogEvent {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    id: `m${index}`,
    timestamp,
    type: 'Delivery',
    domain_name: 'acme.test',
    recipient: `user${index}@example.org`,
  }
}

test('the generated part is that of the OpenAPI documents', async () => {
  assert.equal(readFileSync(CLIENT_FILE, 'utf8'), await generateClient())
})

describe('a client', () => {
  test('sends events, and reads all pages of a search as one list', async () => {
    const sent = Array.from({ length: 25 }, (_, index) => eventOf(index))
    assert.equal((await connect(installation.ingestKey).call('ingestEvents', { body: sent })).stored, 25)
    const found: EmailLogEvent[] = []
    const query = { limit: 10, type: ['Delivery', 'Bounce'] } as const
    for await (const event of connect(installation.tenantKey).events({ query })) found.push(event)
    assert.deepEqual(found.map(({ id }) => id).sort(), sent.map(({ id }) => id).sort())
  })

  test('fills parameters into the path, whatever characters they contain', async () => {
    const client = connect(installation.tenantKey)
    assert.equal((await client.call('getEmailLogs', { path: { domain: 'acme.test' }, query: { limit: 1 } })).count, 1)
    await assert.rejects(client.call('getMessage', { path: { id: '../domains?x=#' } }), {
      name: 'EnvelogError',
      status: 404,
    })
  })

  test('throws the message, the status and the id of a refusal', async () => {
    await assert.rejects(connect('wrong').call('getTenantStatistics'), (error: unknown) => {
      assert.ok(error instanceof EnvelogError)
      assert.equal(error.status, 401)
      assert.match(error.message, /key/i)
      assert.ok(error.requestId)
      return true
    })
  })

  test('follows the stream over a restart of the server, and sees each event once', async () => {
    const seen: string[] = []
    const ended = new AbortController()
    const stream = connect(installation.tenantKey).stream({ signal: ended.signal })
    const first = stream.next()
    const ingest = connect(installation.ingestKey)
    const take = async (each: Promise<IteratorResult<{ readonly event: EmailLogEvent }, unknown>>) => {
      const { value } = await each
      if (value) seen.push((value as { event: EmailLogEvent }).event.id)
    }
    // The stream begins when it is first read: send until it is seen.
    let isSeen = false
    void first.then(() => {
      isSeen = true
    })
    let count = 100
    for (; !isSeen; count++) await ingest.call('ingestEvents', { body: [eventOf(count)] })
    await take(first)
    const port = new URL(server.address).port
    await server.stop()
    server = await installation.start({ ENVELOG_PORT: port })
    await ingest.call('ingestEvents', { body: [eventOf(9999)] })
    while (!seen.includes('m9999')) await take(stream.next())
    ended.abort()
    assert.equal(new Set(seen).size, seen.length)
    const from = Number(seen[0]?.slice(1))
    assert.deepEqual(seen, [...Array.from({ length: count - from }, (_, index) => `m${from + index}`), 'm9999'])
  })
})

describe('retries', () => {
  /** A server that refuses as often as it is told to. */
  async function refusing(statuses: number[], headers: Record<string, string> = {}) {
    let requests = 0
    const web = createServer((_, response) => {
      requests++
      const status = statuses.shift() ?? 200
      response.writeHead(status, { 'content-type': 'application/json', ...(status !== 200 && headers) })
      response.end(JSON.stringify(status === 200 ? { stored: 1 } : { error: status, message: 'not now' }))
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    return { url, requests: () => requests, [Symbol.dispose]: () => void web.close() }
  }

  test('a read and an ingest request are repeated until they succeed', async () => {
    using web = await refusing([503, 429, 502])
    await connect('key', web.url).call('ingestEvents', { body: [eventOf(1)] })
    assert.equal(web.requests(), 4)
  })

  test('what would be done twice is not repeated, unless the server refused to begin', async () => {
    using web = await refusing([429, 503])
    await assert.rejects(connect('key', web.url).call('createTenant', { body: { name: 'acme' } }), { status: 503 })
    assert.equal(web.requests(), 2)
  })

  test('a server that asks for more time than the client has gets no second request', async () => {
    using web = await refusing([503], { 'retry-after': '3600' })
    await assert.rejects(connect('key', web.url).call('getHealth'), { status: 503, retryAfterSeconds: 3600 })
    assert.equal(web.requests(), 1)
  })

  test('a server that cannot be reached is an error of its own', async () => {
    const client = new EnvelogClient({ url: 'http://127.0.0.1:1', key: 'key', retries: { attempts: 2 } })
    await assert.rejects(client.call('getHealth'), ConnectionError)
  })
})
