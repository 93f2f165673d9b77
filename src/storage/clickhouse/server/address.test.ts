/** On a server of the test's own, with a clock that stands still. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createClickHouseServer } from '../../../../test/harness/storage/clickhouse/clickhouse-server.ts'
import { Address, type ServerRequest } from './address.ts'

const PING_MS = 1500
const STEP_MS = 50
const PATIENCE_MS = 10_000

interface Received {
  readonly parameters: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly response: ServerResponse
}

/** Requests are answered by the test, pings as `pings` says. */
async function open(t: TestContext, credentials = '') {
  const tick = stopClock(t)
  const received: Received[] = []
  const state = { areAnswered: true, pings: 0, connections: 0 }
  const server = createClickHouseServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    if (url.pathname.endsWith('/ping')) {
      state.pings++
      if (state.areAnswered) response.end('Ok.\n')
      else response.destroy()
      return
    }
    void text(request).then((body) => {
      received.push({ parameters: url.searchParams, headers: request.headers, body, response })
    })
  })
  server.on('connection', () => state.connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://${credentials}127.0.0.1:${port}`
  const address = new Address({ url, user: 'anna', password: 'pass', connections: 3 })
  t.after(async () => {
    address.close()
    server.closeAllConnections()
    server.close()
  })
  /** `stepMs`: by which the clock goes on with every turn. */
  const until = async (isTrue: () => boolean, stepMs = 0) => {
    for (const end = performance.now() + PATIENCE_MS; !isTrue(); await turn()) {
      tick(stepMs)
      assert.ok(performance.now() < end, 'it did not become true')
    }
  }
  const next = async () => {
    await until(() => received.length > 0)
    return received.shift() ?? assert.fail()
  }
  /** Long enough for what was sent on loopback to arrive. */
  const settle = async () => {
    for (let turns = 0; turns < 50; turns++) await turn()
  }
  return { address, state, next, until, settle, tick }
}

/** Timers run when the test says so; what the client puts off to the next turn, it gets then. */
function stopClock(t: TestContext) {
  const timers = new Map<object, { readonly dueMs: number; readonly run: () => void }>()
  let nowMs = 0
  t.mock.method(globalThis, 'setTimeout', (run: () => void, delayMs: number) => {
    const timer = { unref: () => timer, hasRef: () => false }
    if (delayMs === 0) setImmediate(run)
    else timers.set(timer, { dueMs: nowMs + delayMs, run })
    return timer
  })
  t.mock.method(globalThis, 'clearTimeout', (timer: object) => void timers.delete(timer))
  return (ms: number) => {
    nowMs += ms
    for (const [timer, { dueMs, run }] of timers) {
      if (dueMs <= nowMs && timers.delete(timer)) run()
    }
  }
}

/** What was sent before has arrived when a request after it has been answered. */
async function roundTrip({ address, next }: Pick<Awaited<ReturnType<typeof open>>, 'address' | 'next'>): Promise<void> {
  const answered = address.request(request())
  ;(await next()).response.end()
  await answered
}

function request(given: Partial<ServerRequest> = {}): ServerRequest {
  return { sql: 'SELECT 1', settings: {}, signal: new AbortController().signal, ...given }
}

function accountOf({ headers }: Received): string {
  return Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
}

describe('a request', () => {
  test('is sent with its settings, uncompressed, by the account of the options; the response is returned as a whole', async (t) => {
    const { address, next } = await open(t)
    const answer = address.request(request({ settings: { readonly: 2 } }))
    const received = await next()
    assert.equal(received.body, 'SELECT 1')
    assert.deepEqual([received.parameters.get('readonly'), received.parameters.get('wait_end_of_query')], ['2', '1'])
    assert.equal(received.parameters.get('enable_http_compression'), null)
    assert.equal(received.headers['content-encoding'], undefined)
    assert.equal(accountOf(received), 'anna:pass')
    assert.equal(received.headers['user-agent'], 'envelog')
    received.response.write('a')
    await turn()
    received.response.end('bä\n')
    assert.equal(await answer, 'abä\n')
  })

  test('fails if the response ends within a row', async (t) => {
    const { address, next } = await open(t)
    const answer = address.request(request())
    const { response } = await next()
    response.end('1\t2\n3')
    await assert.rejects(answer, /is incomplete/)
  })

  test('is sent by the account of the address', async (t) => {
    const { address, next } = await open(t, 'b%40x:c%2Fd@')
    const answer = address.request(request())
    const received = await next()
    received.response.end()
    assert.equal(await answer, '')
    assert.equal(accountOf(received), 'b@x:c/d')
  })

  test('with a body has the statement as a parameter, and the type of the body', async (t) => {
    const { address, next } = await open(t)
    for (const contentType of ['multipart/form-data; boundary=x', undefined]) {
      const given = { body: Buffer.from('values'), ...(contentType !== undefined && { contentType }) }
      const answer = address.request(request(given))
      const { body, parameters, headers, response } = await next()
      assert.deepEqual([body, parameters.get('query')?.trim()], ['values', 'SELECT 1'])
      if (contentType !== undefined) assert.equal(headers['content-type'], contentType)
      response.end()
      await answer
    }
  })

  test('that the server refuses, or whose connection breaks, fails', async (t) => {
    const { address, next } = await open(t)
    const refused = assert.rejects(address.request(request()), /Syntax error/)
    ;(await next()).response.writeHead(400).end('Code: 62. DB::Exception: Syntax error')
    await refused
    const broken = assert.rejects(address.request(request()), Error)
    const { response } = await next()
    response.writeHead(200, { 'content-length': 100 }).write('a')
    await turn()
    response.destroy()
    await broken
  })

  test('ends with its signal, for its reason; the server is told if it would go on', async (t) => {
    const opened = await open(t)
    const { address, next } = opened
    for (const mustBeKilled of [true, false]) {
      for (const isAnswering of [false, true]) {
        const reason = new Error('the caller left')
        const controller = new AbortController()
        const failed = assert.rejects(
          address.request(request({ signal: controller.signal, ...(mustBeKilled && { mustBeKilled }) })),
          reason,
        )
        const { response, parameters } = await next()
        if (isAnswering) response.write('a')
        await opened.settle()
        controller.abort(reason)
        await failed
        if (mustBeKilled) {
          const kill = await next()
          assert.match(kill.body, new RegExp(`^KILL QUERY WHERE query_id = '${parameters.get('query_id')}' ASYNC`))
          kill.response.end()
        } else await roundTrip(opened)
      }
    }
  })

  test('uses the connection of the one before', async (t) => {
    const opened = await open(t)
    for (let requests = 0; requests < 3; requests++) await roundTrip(opened)
    assert.equal(opened.state.connections, 1)
  })

  test('that nobody waits for any more is not sent', async (t) => {
    const opened = await open(t)
    const reason = new Error('the caller left')
    await assert.rejects(opened.address.request(request({ signal: AbortSignal.abort(reason) })), reason)
    await roundTrip(opened)
  })

  test('that fails on the server is not ended there', async (t) => {
    const opened = await open(t)
    const failed = assert.rejects(opened.address.request(request({ mustBeKilled: true })))
    ;(await opened.next()).response.writeHead(500).end('Code: 62. DB::Exception: x')
    await failed
    await roundTrip(opened)
  })

  test('leaves no listener on the signal of its caller', async (t) => {
    const { address, next } = await open(t)
    const { signal } = new AbortController()
    let listeners = 0
    t.mock.method(signal, 'addEventListener', () => void listeners++)
    t.mock.method(signal, 'removeEventListener', () => void listeners--)
    const answer = address.request(request({ signal }))
    ;(await next()).response.end()
    await answer
    assert.equal(listeners, 0)
  })
})

describe('while requests wait', () => {
  test('the server is pinged again and again, and not any more afterwards', async (t) => {
    const { address, next, state, tick, until, settle } = await open(t)
    const first = address.request(request())
    const one = await next()
    const second = address.request(request())
    const other = await next()
    for (const pings of [1, 2]) {
      await until(() => state.pings === pings, STEP_MS)
      await settle()
      assert.equal(state.pings, pings)
    }
    one.response.end('a\n')
    assert.equal(await first, 'a\n')
    await until(() => state.pings === 3, STEP_MS)
    other.response.end('b\n')
    assert.equal(await second, 'b\n')
    assert.equal(address.isAvoided, false)
    tick(10 * PING_MS)
    await roundTrip({ address, next })
    assert.equal(state.pings, 3)
    const third = address.request(request())
    const { response } = await next()
    await until(() => state.pings === 4, STEP_MS)
    response.end('c\n')
    assert.equal(await third, 'c\n')
  })

  test('a server that does not answer a ping is left, and avoided until it does', async (t) => {
    const { address, next, state, tick, until } = await open(t)
    const failed = assert.rejects(address.request(request({ mustBeKilled: true })), /does not answer/)
    await next()
    state.areAnswered = false
    tick(PING_MS)
    await failed
    assert.equal(address.isAvoided, true)
    await until(() => state.pings === 3, STEP_MS)
    assert.equal(address.isAvoided, true)
    state.areAnswered = true
    await until(() => !address.isAvoided, STEP_MS)
    const { pings } = state
    tick(10 * PING_MS)
    await roundTrip({ address, next })
    assert.equal(state.pings, pings)
  })

  test('closing ends them, and nothing is asked any more', async (t) => {
    const { address, next, state, tick, settle } = await open(t)
    address.avoid()
    address.avoid()
    const failed = assert.rejects(address.request(request()), /was closed/)
    await next()
    address.close()
    await failed
    tick(10 * PING_MS)
    await settle()
    assert.equal(state.pings, 0)
  })

  test('an address that is closed is not avoided any more', async (t) => {
    const { address } = await open(t)
    address.close()
    address.avoid()
    assert.equal(address.isAvoided, false)
  })
})
