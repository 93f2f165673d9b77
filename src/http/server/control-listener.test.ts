import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { CONTROL_SOCKET, openControlSocketPath } from '../../lib/control-socket.ts'
import { Networks } from '../../lib/net/networks.ts'
import { LOCAL_TOKEN_HEADER } from '../access/local-caller.ts'
import { listenOnControlSocket } from './control-listener.ts'

const GRACE_MS = 5000

interface Answer {
  readonly status: number | undefined
  readonly body: string
}

async function ask(
  folder: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  using location = openControlSocketPath(folder)
  const asked = request({ socketPath: location.path, path, method, headers: { host: 'localhost', ...headers } })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: await text(answer) }
}

async function listenOnPort({ app }: AppFixture): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

test('commands on this machine administer and ingest without a key, and are logged as local', async () => {
  await using fixture = await openAppFixture()
  const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
  const created = await ask(fixture.dataDir, '/v1/admin/tenants', { method: 'POST', body: '{"name":"Initech"}' })
  assert.equal(created.status, 201)
  const sent = await ask(fixture.dataDir, '/ingest/events', { method: 'POST', body: JSON.stringify(fixture.event()) })
  assert.deepEqual([sent.status, (JSON.parse(sent.body) as { stored: number }).stored], [200, 1])
  const lines = fixture.logLines.filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    lines.map(({ keyId, route }) => [keyId, route]),
    [
      ['local', '/v1/admin/tenants'],
      ['local', '/ingest/events'],
    ],
  )
  await control.close(GRACE_MS)
})

test("a local caller is not a tenant, and with a key it is the key's owner", async () => {
  await using fixture = await openAppFixture()
  const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
  assert.equal((await ask(fixture.dataDir, '/v1/events')).status, 403)
  const headers = { authorization: fixture.acme.key }
  assert.equal((await ask(fixture.dataDir, '/v1/events', { headers })).status, 200)
  assert.equal((await ask(fixture.dataDir, '/v1/admin/tenants', { headers })).status, 403)
  assert.equal((await ask(fixture.dataDir, '/v1/admin/tenants', { headers: { authorization: 'rubbish' } })).status, 401)
  await control.close(GRACE_MS)
})

test('nothing in a network request makes the caller local', async () => {
  await using fixture = await openAppFixture()
  const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
  const address = await listenOnPort(fixture)
  const forgeries: Record<string, string>[] = [
    {},
    { [LOCAL_TOKEN_HEADER]: '' },
    { [LOCAL_TOKEN_HEADER]: 'undefined' },
    { [LOCAL_TOKEN_HEADER]: 'local' },
    { authorization: 'local' },
    { authorization: 'Bearer local' },
    { host: CONTROL_SOCKET },
    { host: 'localhost' },
    { 'x-forwarded-for': '127.0.0.1', forwarded: `for=unix:${CONTROL_SOCKET}` },
  ]
  for (const headers of forgeries) {
    // Not fetch: it sets Host itself.
    const asked = request(`${address}/v1/admin/tenants`, { headers })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 401, JSON.stringify(headers))
  }
  await control.close(GRACE_MS)
})

test('the socket is accessible only to its owner, replaces one left by a killed server, and is removed on close', async () => {
  await using fixture = await openAppFixture()
  const path = join(fixture.dataDir, CONTROL_SOCKET)
  writeFileSync(path, 'left over')
  const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
  assert(statSync(path).isSocket())
  assert.equal((statSync(path).mode & 0o777).toString(8), '600')
  assert.equal((await ask(fixture.dataDir, '/v1/admin/tenants')).status, 200)
  await control.close(GRACE_MS)
  assert(!existsSync(path))
})

test('a data folder whose path is too long for a socket can still be reached', async () => {
  await using fixture = await openAppFixture()
  using folder = openTemporaryFolder()
  const deep = join(folder.path, 'x'.repeat(100), 'y'.repeat(100))
  mkdirSync(deep, { recursive: true })
  const control = await listenOnControlSocket(fixture.app, deep)
  assert.equal((await ask(deep, '/v1/admin/tenants')).status, 200)
  assert.equal((statSync(join(deep, CONTROL_SOCKET)).mode & 0o777).toString(8), '600')
  await control.close(GRACE_MS)
  assert(!existsSync(join(deep, CONTROL_SOCKET)))
})

test('bytes that are not HTTP are refused, and idle connections do not delay the shutdown', async () => {
  await using fixture = await openAppFixture()
  // As in a server: Node tracks idle connections only of a server that listens.
  await fixture.app.listen({ host: '127.0.0.1', port: 0 })
  const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
  const path = join(fixture.dataDir, CONTROL_SOCKET)
  const stranger = connect(path)
  stranger.end('rubbish\r\n\r\n')
  assert.match(await text(stranger), /^HTTP\/1\.1 400 /)
  const silent = connect(path)
  await once(silent, 'connect')
  const idle = connect(path)
  idle.write('GET /v1/admin/tenants HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(idle, 'data')
  // A grace period longer than the timeout of this test.
  await control.close(10 * 60_000)
})

test('the socket has no client address: signing in works through it, and headers of a proxy do not count', async () => {
  for (const trustedProxies of [undefined, new Networks(['127.0.0.1', '0.0.0.0/0'])]) {
    await using fixture = await openAppFixture({ trustedProxies })
    const control = await listenOnControlSocket(fixture.app, fixture.dataDir)
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' }
    const signIn = (key: string) =>
      ask(fixture.dataDir, '/v1/session', { method: 'POST', headers, body: JSON.stringify({ key }) })
    assert.equal((await signIn('rubbish')).status, 401)
    assert.equal((await signIn(fixture.acme.key)).status, 200)
    const authorization = fixture.acme.key
    assert.equal((await ask(fixture.dataDir, '/v1/session', { headers: { ...headers, authorization } })).status, 200)
    await control.close(GRACE_MS)
  }
})
