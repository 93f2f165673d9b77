import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { createClientErrorHandler } from './client-errors.ts'
import { SERVER_LIMITS } from './server-limits.ts'

let fixture: AppFixture

before(async () => {
  fixture = await openAppFixture()
  await fixture.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => fixture[Symbol.asyncDispose]())

function open(): Socket {
  const { port } = fixture.app.server.address() as AddressInfo
  return connect({ port, host: '127.0.0.1' })
}

/** Everything that comes back until the server ends the connection. */
async function exchange(bytes: string | Buffer): Promise<string> {
  const socket = open()
  socket.write(bytes)
  return readAll(socket)
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

interface RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: unknown
}

function parse(text: string): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2) as [string, string]))
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) }
}

async function assertRefused(bytes: string | Buffer, status: number): Promise<void> {
  const answer = parse(await exchange(bytes))
  assert.equal(answer.status, status)
  assert.deepEqual(Object.keys(answer.body as object), ['error', 'message'])
  assert.equal((answer.body as { error: number }).error, status)
  const { 'content-type': type, 'x-content-type-options': sniffing, connection } = answer.headers
  assert.match(type ?? '', /^application\/json/)
  assert.equal(sniffing, 'nosniff')
  assert.equal(connection, 'close')
}

describe('a request that is not valid HTTP is 400 with the usual error body', () => {
  const messages: [string, string][] = [
    ['rubbish', 'rubbish\r\n\r\n'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a broken header', 'GET /healthz HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n'],
    ['a length that is no number', 'POST /ingest/events HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n'],
    ['two lengths', 'POST /ingest/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks at once',
      'POST /ingest/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['TLS on the plain port', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ]
  for (const [name, message] of messages) test(name, () => assertRefused(message, 400))

  test('a request without Host', async () => {
    const answer = parse(await exchange('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'))
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body, { error: 400, message: 'The Host header is missing' })
  })

  test('a request with two Hosts', async () => {
    const answer = parse(await exchange('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'))
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body, { error: 400, message: 'Multiple Host headers were sent' })
  })

  test('an HTTP/1.0 request needs no Host', async () => {
    assert.equal(parse(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).status, 200)
  })
})

describe('headers above 16 KiB are 431 with the usual error body', () => {
  test('in one large header', () => assertRefused(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431))
  test('in the URL', () => assertRefused(`GET /webhooks/${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431))
})

test('a path of any length that fits is examined after the key', async () => {
  const path = `/webhooks/${'x'.repeat(15_000)}`
  const noKey = parse(await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
  assert.equal(noKey.status, 401)
  const key = `Authorization: ${fixture.acme.key}\r\n`
  const withKey = parse(await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\n${key}Connection: close\r\n\r\n`))
  assert.deepEqual(withKey.body, { error: 400, message: 'Domain not found' })
})

test('an unsupported expectation is 417 with the usual error body', () =>
  assertRefused('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n', 417))

test('100-continue is supported', async () => {
  const text = await exchange(
    `POST /api/v2/domain/x/verify HTTP/1.1\r\nHost: x\r\nAuthorization: ${fixture.acme.key}\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
  )
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)
})

describe('a request that does not arrive in time is 408 with the usual error body', () => {
  before(() => {
    fixture.app.server.headersTimeout = 1
    fixture.app.server.requestTimeout = 1
  })
  after(() => {
    fixture.app.server.headersTimeout = SERVER_LIMITS.headersTimeoutMs
    fixture.app.server.requestTimeout = SERVER_LIMITS.requestTimeoutMs
  })
  const key = () => `Authorization: ${fixture.operatorKey}\r\n`

  test('if the headers stop', () => assertRefused('GET /healthz HTTP/1.1\r\nHost: x\r\n', 408))
  test('if the body stops', () =>
    assertRefused(`POST /ingest/events HTTP/1.1\r\nHost: x\r\n${key()}Content-Length: 100\r\n\r\n{`, 408))
})

test('garbage after a request does not affect its response', async () => {
  const text = await exchange(
    `GET /domain/stats HTTP/1.1\r\nHost: x\r\nAuthorization: ${fixture.acme.key}\r\n\r\nrubbish rubbish\r\n\r\n`,
  )
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
  const [, body = ''] = text.split('\r\n\r\n', 2)
  assert.equal((JSON.parse(body) as { total_domains: number }).total_domains, 2)
})

test('refused requests are counted', async () => {
  await exchange('rubbish\r\n\r\n')
  await exchange('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n')
  const metrics = await fixture.get('/metrics', null)
  assert.match(
    metrics.body,
    /envelog_http_requests_total\{route="\(malformed\)",method="\(none\)",status="400"\} [1-9]/,
  )
  assert.match(
    metrics.body,
    /envelog_http_requests_total\{route="\(malformed\)",method="\(none\)",status="417"\} [1-9]/,
  )
})

describe('an error of a connection', () => {
  function openScene() {
    const refused: number[] = []
    const server = new EventEmitter()
    const { refuse, watch } = createClientErrorHandler((status) => refused.push(status))
    watch({ server } as unknown as FastifyInstance)
    const ended: (string | undefined)[] = []
    const socket = {
      writable: true,
      isDestroyed: false,
      destroy: () => (socket.isDestroyed = true),
      end: (text?: string) => ended.push(text?.slice(0, 12)),
    }
    const fail = (code: string) => refuse(Object.assign(new Error('x'), { code }), socket as unknown as Socket)
    const begin = (state: object = { headersSent: false }) => {
      const response = Object.assign(new EventEmitter(), { writableFinished: false, ...state })
      server.emit('request', { socket, complete: true }, response)
      return response
    }
    return { refused, ended, socket, fail, begin }
  }

  test('is answered by its kind, and counted', () => {
    for (const [code, status] of [
      ['ERR_HTTP_REQUEST_TIMEOUT', 408],
      ['HPE_HEADER_OVERFLOW', 431],
      ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
      ['HPE_INVALID_METHOD', 400],
    ] as const) {
      const { fail, refused, ended, socket } = openScene()
      fail(code)
      assert.deepEqual([refused, ended, socket.isDestroyed], [[status], [`HTTP/1.1 ${status}`], false])
    }
  })

  test('of which the client hears nothing only closes it', () => {
    for (const [code, writable] of [
      ['ECONNRESET', true],
      ['HPE_INVALID_METHOD', false],
    ] as const) {
      const { fail, refused, ended, socket } = openScene()
      socket.writable = writable
      fail(code)
      assert.deepEqual([refused, ended, socket.isDestroyed], [[], [], true])
    }
  })

  test('in a request after one that is being answered waits for that answer, and is then not answered itself', () => {
    const { fail, refused, ended, begin } = openScene()
    const earlier = begin()
    const later = begin()
    // Of the earlier one, which is no longer the last.
    earlier.emit('close')
    fail('HPE_INVALID_METHOD')
    assert.deepEqual([refused, ended], [[], []])
    later.emit('finish')
    assert.deepEqual([refused, ended], [[], [undefined]])
    later.emit('close')
    fail('HPE_INVALID_METHOD')
    assert.deepEqual([refused, ended], [[400], [undefined, 'HTTP/1.1 400']])
  })
})
