import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createClickHouseServer } from '../../../../test/harness/storage/clickhouse/clickhouse-server.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { HttpConnections, type Post } from './http-connections.ts'

interface Place {
  readonly host?: string
  readonly scheme?: string
  readonly path?: string
}

async function listen(t: TestContext, server: Server, { host = '127.0.0.1', scheme = 'http', path = '' }: Place = {}) {
  let opened = 0
  server.on('connection', () => opened++)
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`)
  const connections = new HttpConnections({ url, user: 'anna', password: 'ä', connections: 2 })
  t.after(() => {
    connections.close()
    server.closeAllConnections()
    server.close()
  })
  return { connections, opened: () => opened }
}

function post(given: Partial<Post> = {}): Post {
  return { parameters: {}, body: 'SELECT 1', signal: new AbortController().signal, ...given }
}

/** Answers with the path that was asked for. */
const echo: RequestListener = (request, response) => {
  response.setHeader('X-ClickHouse-Server-Display-Name', 'test')
  request.resume()
  response.end(request.url)
}

describe('requests to a server', () => {
  test('have the path of its address before their own', async (t) => {
    for (const path of ['/clickhouse', '/clickhouse/']) {
      const { connections } = await listen(t, createClickHouseServer(echo), { path })
      assert.equal(await connections.post(post({ parameters: { a: 1, b: 'ü&' } })), '/clickhouse/?a=1&b=%C3%BC%26')
    }
  })

  test('reach an IPv6 address', async (t) => {
    const { connections } = await listen(t, createClickHouseServer(echo), { host: '::1' })
    assert.equal(await connections.post(post()), '/?')
  })

  test('are encrypted if the address says so, and fail if the certificate is not trusted', async (t) => {
    using folder = openTemporaryFolder()
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
    const made = ['-keyout', key, '-out', cert, '-subj', '/CN=x', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', '-days', '2', ...made], {
      stdio: 'ignore',
    })
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, echo)
    const { connections } = await listen(t, server, { scheme: 'https' })
    await assert.rejects(connections.post(post()), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')])
    t.after(() => setDefaultCACertificates(trusted))
    assert.equal(await connections.post(post()), '/?')
  })

  test('fail with what the server says, whether or not the response had begun', async (t) => {
    const answers = [[500, {}] as const, [200, { 'x-clickhouse-exception-code': '241' }] as const]
    const server = createClickHouseServer((request, response) => {
      request.resume()
      const [status, headers] = answers.shift() ?? [200, {}]
      response.writeHead(status, headers).end('Code: 241. DB::Exception: ä')
    })
    const { connections } = await listen(t, server)
    const isRefused = { message: 'Code: 241. DB::Exception: ä' }
    await assert.rejects(connections.post(post()), isRefused)
    await assert.rejects(connections.post(post()), isRefused)
    assert.equal(await connections.post(post()), isRefused.message)
  })

  test('fail with the reason of their signal, before a response and in the middle of one', async (t) => {
    const stopped: AbortController[] = []
    const reason = new Error('the caller left')
    const server = createClickHouseServer((request, response) => {
      request.resume()
      if (request.url?.includes('begun')) response.write('a')
      setImmediate(() => stopped.shift()?.abort(reason))
    })
    const { connections } = await listen(t, server)
    for (const parameters of [{}, { begun: 1 }]) {
      const stop = new AbortController()
      stopped.push(stop)
      await assert.rejects(connections.post(post({ parameters, signal: stop.signal })), reason)
    }
  })

  test('that wait for a connection fail with the reason of their signal at once', async (t) => {
    const server = createClickHouseServer((request) => void request.resume())
    const { connections } = await listen(t, server)
    const stop = new AbortController()
    const running = [1, 2].map(() => connections.post(post({ signal: stop.signal })).catch(() => undefined))
    const reason = new Error('the deadline')
    const waiting = new AbortController()
    const waits = assert.rejects(connections.post(post({ signal: waiting.signal })), reason)
    waiting.abort(reason)
    await waits
    stop.abort()
    await Promise.all(running)
  })

  test('fail if the response is cut off, or is not one of HTTP', async (t) => {
    const answers = [
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'SSH-2.0\r\n',
      '',
    ]
    const server = createServer()
    server.on('connection', (socket) => {
      socket.removeAllListeners('data')
      socket.once('data', () => socket.end(answers.shift() ?? ''))
    })
    const { connections } = await listen(t, server)
    while (answers.length > 0) await assert.rejects(connections.post(post()), Error)
  })

  test('fail if something else than ClickHouse answers, or if the response has no length', async (t) => {
    const maintenance = createServer((request, response) => {
      request.resume()
      response.end('We are back soon.\n')
    })
    await assert.rejects((await listen(t, maintenance)).connections.post(post()), /not from ClickHouse/)
    const old = createServer()
    old.on('connection', (socket) => {
      socket.removeAllListeners('data')
      socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\nX-ClickHouse-Server-Display-Name: x\r\n\r\n1\n'))
    })
    await assert.rejects((await listen(t, old)).connections.post(post()), /has no Content-Length .* HTTP\/1\.1/)
  })

  test('fail with the beginning of a long refusal, and with its status if it has no text', async (t) => {
    const bodies = ['<html>'.repeat(1_000_000), '']
    const server = createClickHouseServer((request, response) => {
      request.resume()
      response.writeHead(502).end(bodies.shift())
    })
    const { connections } = await listen(t, server)
    await assert.rejects(connections.post(post()), ({ message }: Error) => {
      assert.match(message, /^<html>/)
      return message.length < 1_000_000
    })
    await assert.rejects(connections.post(post()), { message: 'HTTP status 502' })
  })

  test('use no connection that was idle for too long while this process was busy', async (t) => {
    const { connections, opened } = await listen(t, createClickHouseServer(echo))
    await connections.post(post())
    await connections.post(post())
    assert.equal(opened(), 1)
    for (const end = performance.now() + 2100; performance.now() < end; );
    await connections.post(post())
    assert.equal(opened(), 2)
  })

  test('wait for a connection if all are in use, and are then sent', async (t) => {
    let [running, most] = [0, 0]
    const server = createClickHouseServer((request, response) => {
      request.resume()
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        response.end()
      }, 5)
    })
    const { connections, opened } = await listen(t, server)
    await Promise.all(Array.from({ length: 9 }, () => connections.post(post())))
    assert.deepEqual([most, opened()], [2, 2])
  })

  test('that take longer than a connection may be idle are answered', async (t) => {
    const server = createClickHouseServer((request, response) => {
      request.resume()
      setTimeout(() => response.end('late'), 2500)
    })
    const { connections } = await listen(t, server)
    assert.equal(await connections.post(post()), 'late')
  })

  test('under way fail when the connections are closed', async (t) => {
    const { connections } = await listen(
      t,
      createClickHouseServer(() => connections.close()),
    )
    await assert.rejects(connections.post(post()), Error)
  })
})
