import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { reapConnections } from './graceful-close.ts'

async function listen(fixture: AppFixture): Promise<number> {
  await fixture.app.listen({ port: 0, host: '127.0.0.1' })
  return (fixture.app.server.address() as AddressInfo).port
}

/** A request whose last byte is still to come. */
async function beginRequest(fixture: AppFixture, port: number, head: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  const connected = once(fixture.app.server, 'connection')
  socket.write(head)
  await connected
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

test('a request in flight is answered, an idle connection is closed, and neither delays the shutdown', async () => {
  const dns = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await using fixture = await openAppFixture({
    async lookup() {
      asked.resolve()
      await dns.promise
      return { kind: 'no_such_name' }
    },
  })
  const port = await listen(fixture)
  const agent = new Agent({ keepAlive: true })
  const [idle] = (await once(get({ port, path: '/healthz', agent }), 'response')) as [NodeJS.ReadableStream]
  idle.resume()
  await once(idle, 'end')

  const inFlight = fetch(`http://127.0.0.1:${port}/api/v2/domain/${fixture.acme.domains[0].id}/verify`, {
    method: 'POST',
    headers: { authorization: fixture.acme.key },
  })
  await asked.promise
  const closed = fixture.app.close()
  dns.resolve()
  const answer = await inFlight
  assert.equal(answer.status, 200)
  assert.equal(((await answer.json()) as { isVerified: boolean }).isVerified, false)
  // Its keep-alive timeout is over a minute: if the server waited for it, this test would time out.
  await closed
  agent.destroy()
})

test('a request that begins during shutdown gets 503 with the usual error body, and its connection is closed', async () => {
  await using fixture = await openAppFixture()
  const port = await listen(fixture)
  const socket = await beginRequest(fixture, port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
  const closed = fixture.app.close()
  while (fixture.app.server.listening) await setImmediate()
  const answer = readAll(socket)
  socket.write('\r\n')
  const [head = '', body = ''] = (await answer).split('\r\n\r\n', 2)
  assert.match(head, /^HTTP\/1\.1 503 /)
  assert.match(head, /\r\nretry-after: 1\r\n/i)
  assert.match(head, /\r\nconnection: close/i)
  assert.deepEqual(JSON.parse(body), { error: 503, message: 'The server is shutting down. Retry.' })
  await closed
})

test('a connection that never finishes its request is cut off after the grace period', async () => {
  await using fixture = await openAppFixture({ closeGraceMs: 60 })
  const port = await listen(fixture)
  const socket = await beginRequest(fixture, port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
  socket.on('error', () => undefined)
  await fixture.app.close()
  if (!socket.closed) await once(socket, 'close')
})

test('an app that never listened closes at once', async () => {
  await using fixture = await openAppFixture()
  await fixture.app.close()
})

test('a server that never listened leaves no timer behind', async (context) => {
  await using fixture = await openAppFixture()
  const started = context.mock.method(globalThis, 'setInterval')
  await fixture.app.close()
  assert.equal(started.mock.callCount(), 0)
})

test('connections that were not used are closed while the server is, and all of them after the grace period, unless it has ended', (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  let [idleClosed, cutOff] = [0, 0]
  const app = { server: { closeIdleConnections: () => idleClosed++ } } as unknown as AppFixture['app']
  const destroyed: number[] = []
  const sockets = [0, 5].map((bytesRead) => ({ bytesRead, destroy: () => destroyed.push(bytesRead) }))
  const reap = () => reapConnections(app, new Set(sockets as unknown as Socket[]), 1000, () => cutOff++)
  const reaper = reap()
  context.mock.timers.tick(49)
  assert.deepEqual([idleClosed, destroyed], [0, []])
  context.mock.timers.tick(1)
  assert.deepEqual([idleClosed, destroyed], [1, [0]])
  context.mock.timers.tick(949)
  assert.equal(cutOff, 0)
  context.mock.timers.tick(1)
  assert.equal(cutOff, 1)
  reaper[Symbol.dispose]()
  reap()[Symbol.dispose]()
  idleClosed = 0
  context.mock.timers.tick(2000)
  assert.deepEqual([idleClosed, cutOff], [0, 1])
})
