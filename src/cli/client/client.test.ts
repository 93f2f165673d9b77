import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { loadConfig } from '../../config/load-config.ts'
import { mintApiKey } from '../../tenants/api-key.ts'
import { openClient } from './open-client.ts'

const config = loadConfig({})
const KEY = mintApiKey().key

/** A server that answers everything alike, and a client of it. */
async function openExchange(listener: RequestListener) {
  const folder = openTemporaryFolder()
  const keyFile = join(folder.path, 'key')
  writeFileSync(keyFile, `${KEY}\n`)
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = openClient(config, { url: `${url}/`, keyFile })
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      server.close()
      folder[Symbol.dispose]()
    },
  }
}

async function openAnswering(status: number, body: string) {
  return openExchange((_request, response) => response.writeHead(status).end(body))
}

describe('a request to --url', () => {
  test('is not sent if the key file contains something else, such as the explanation of key create', async () => {
    using folder = openTemporaryFolder()
    const keyFile = join(folder.path, 'key')
    for (const content of [
      '',
      'rubbish',
      `${KEY}\n\nKey x has the scopes: admin.\n`,
      `${KEY}\u0000`,
      '\u001b[2J',
      KEY.slice(1),
    ]) {
      writeFileSync(keyFile, content)
      await using client = openClient(config, { url: 'http://127.0.0.1:1', keyFile })
      await assert.rejects(client.request('GET', '/v1/admin/keys'), /The key file \S+ does not contain an API key/)
    }
  })

  test('carries the key, the query and the body, and gives the answer', async () => {
    await using exchange = await openExchange(({ method, url, headers }, response) =>
      response.end(JSON.stringify({ method, url, key: headers.authorization, bytes: headers['content-length'] })),
    )
    const query = { id: [1, 2], name: 'ä', none: undefined }
    assert.deepEqual(await exchange.client.request('POST', '/v1/x', { query, body: { a: 1, b: undefined } }), {
      method: 'POST',
      url: '/v1/x?id=1&id=2&name=%C3%A4',
      key: KEY,
      bytes: '7',
    })
  })

  test('that is refused fails with the message of the server and a code that fits', async () => {
    const cases = [
      [400, 'Invalid "name"', 'invalid_request', /^Invalid "name"$/],
      [401, 'The key was revoked', 'unauthenticated', /^http:.* refuses the key: The key was revoked$/],
      [403, 'No scope admin', 'forbidden', /^No scope admin$/],
      [404, 'API key not found', 'not_found', /^No key x$/],
      [404, 'Not found', 'not_found', /^http:.* does not support this: it runs an older version\.$/],
      [409, 'Exists', 'conflict', /^Exists$/],
      [503, 'Full', 'storage_unavailable', /^Full$/],
    ] as const
    for (const [status, message, code, words] of cases) {
      await using exchange = await openAnswering(status, JSON.stringify({ error: status, message }))
      const asked = exchange.client.request('GET', '/v1/x', { ifMissing: 'No key x' })
      await assert.rejects(asked, { code, message: words })
    }
  })

  test('to a server other than Envelog says so', async () => {
    await using exchange = await openAnswering(200, '<html>')
    await assert.rejects(exchange.client.request('GET', '/v1/x'), {
      message: /did not answer with JSON \(status 200\)/,
    })
  })

  test('to an unreachable address says so', async () => {
    await using exchange = await openAnswering(200, '{}')
    exchange.server.close()
    const asked = exchange.client.request('GET', '/v1/x')
    await assert.rejects(asked, { code: 'storage_unavailable', message: /^http:.* cannot be reached: .*ECONNREFUSED/ })
  })

  test('for long work gives the last line, and fails where the work failed or the answer is cut short', async () => {
    const work = async (body: string) => {
      await using exchange = await openAnswering(200, body)
      return await exchange.client.work('/v1/x')
    }
    assert.deepEqual(await work('{"file":"a"}\n\n{"file":"b"}\n'), { file: 'b' })
    const failed = work('{"file":"a"}\n\n{"error":409,"message":"not empty"}\n')
    await assert.rejects(failed, { code: 'conflict', message: 'not empty' })
    await assert.rejects(work('\n'), { code: 'storage_unavailable', message: /before its answer was complete/ })
  })

  test('needs both --url and --key-file, and an http address', () => {
    assert.throws(() => openClient(config, { url: 'http://x' }), /--url needs --key-file/)
    assert.throws(() => openClient(config, { keyFile: 'x' }), /--key-file needs --url/)
    assert.throws(() => openClient(config, { url: 'ftp://x', keyFile: 'x' }), /is not an http address/)
  })
})

describe('sending records to --url', () => {
  test('returns the position of each rejected record in the request', async () => {
    const rejected = [
      { index: 0, error: 'first line' },
      { index: 2, error: 'third line' },
    ]
    await using exchange = await openAnswering(200, JSON.stringify({ stored: 1, duplicates: 0, rejected }))
    const records = ['x', '{}', 'y'].map((record) => Buffer.from(record))
    assert.deepEqual((await exchange.client.ingest('native', records)).rejected, [
      { index: 1, error: 'first line' },
      { index: 2, error: 'third line' },
    ])
  })

  test('waits for as long as Retry-After says, then continues', async () => {
    const receivedMs: number[] = []
    await using exchange = await openExchange((_request, response) => {
      receivedMs.push(performance.now())
      if (receivedMs.length === 1) response.writeHead(429, { 'retry-after': '1' }).end('{"error":429,"message":"slow"}')
      else response.end('{"stored":1,"duplicates":0,"rejected":[]}')
    })
    assert.equal((await exchange.client.ingest('native', [Buffer.from('{}')])).stored, 1)
    const [first = 0, second = 0] = receivedMs
    assert.ok(second - first >= 990, `sent again after ${second - first} ms`)
  })

  test('fails if it would have to wait for an hour, and ends its wait when it is stopped', async () => {
    let retryAfter = '3600'
    let onAnswer = () => {}
    await using exchange = await openExchange((_request, response) => {
      response.writeHead(429, { 'retry-after': retryAfter }).end('{"error":429,"message":"used up"}')
      onAnswer()
    })
    await assert.rejects(exchange.client.ingest('native', [Buffer.from('{}')]), { message: /answered 429: used up/ })
    retryAfter = '60'
    const stop = new AbortController()
    onAnswer = () => stop.abort()
    const sending = exchange.client.ingest('native', [Buffer.from('{}')], stop.signal)
    await assert.rejects(sending, { code: 'storage_unavailable' })
  })

  test('treats every refusal as temporary: a key or a proxy may be fixed', async () => {
    for (const [status, body] of [
      [401, '{"error":401,"message":"no key"}'],
      [404, '{"error":404,"message":"Not found"}'],
      [502, '<html>'],
    ] as const) {
      await using exchange = await openAnswering(status, body)
      await assert.rejects(exchange.client.ingest('native', [Buffer.from('{}')]), {
        code: 'storage_unavailable',
        message: new RegExp(`answered ${status}: `),
      })
    }
  })
})
