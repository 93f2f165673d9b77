/** Clients without a key that try to use up memory, processor time or connections, while others are served. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { VERSION } from '../../src/lib/version.ts'
import { processorTicksOf, residentBytesOf } from '../harness/programs/process-usage.ts'
import { type ServerProcess, serveProcess } from '../harness/programs/server-process.ts'

const MIB = 1024 * 1024
const VICTIM_REQUESTS = 20

let server: ServerProcess

before(async () => {
  // Not an address of this test: connections from this machine are then limited like all others.
  server = await serveProcess({ env: { ENVELOG_TRUSTED_PROXIES: '192.0.2.1', ENVELOG_LOG_LEVEL: 'error' } })
})
after(() => server[Symbol.asyncDispose]())

/** A client that sends and never reads, from any address of this machine. */
class Clients implements Disposable {
  readonly #sockets: Socket[] = []

  async open(localAddress: string): Promise<Socket> {
    const socket = connect({ port: Number(new URL(server.address).port), host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    this.#sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Another client is served meanwhile. */
async function requireService(): Promise<void> {
  for (let count = 0; count < VICTIM_REQUESTS; count++) {
    const answer = await fetch(`${server.address}/healthz`)
    assert.deepEqual([answer.status, await answer.json()], [200, { status: 'ok', version: VERSION }])
  }
}

async function closedBecauseOf(reason: string): Promise<number> {
  const metrics = await (await fetch(`${server.address}/metrics`)).text()
  const pattern = new RegExp(`^envelog_http_connections_closed_total\\{reason="${reason}"\\} (\\d+)$`, 'm')
  return Number(pattern.exec(metrics)?.[1])
}

test('clients that do not read a large file hold no copy of it', async () => {
  using clients = new Clients()
  const path = '/docs/reference/v1'
  const file = await (await fetch(`${server.address}${path}`)).arrayBuffer()
  assert(file.byteLength > MIB / 4)
  const before = residentBytesOf(server.pid)
  const readers = 60
  for (let count = 0; count < readers; count++) {
    const client = await clients.open('127.0.0.2')
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(client, 'readable')
  }
  await requireService()
  const grown = residentBytesOf(server.pid) - before
  assert(grown < (readers * file.byteLength) / 4, `${Math.round(grown / MIB)} MiB more`)
})

test('requests that are sent without waiting for responses are not worked on all at once', async () => {
  using clients = new Clients()
  const client = await clients.open('127.0.0.3')
  const before = residentBytesOf(server.pid)
  client.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500))
  await new Promise((resolve) => client.resume().once('close', resolve))
  await requireService()
  const grown = residentBytesOf(server.pid) - before
  assert(grown < 64 * MIB, `${Math.round(grown / MIB)} MiB more`)
  assert.equal(await closedBecauseOf('pipelining'), 1)
})

test('a compressed body without a key costs no more than any other refused request', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(16 * MIB))
  const send = async (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string>) => {
    const answer = await fetch(`${server.address}${path}`, { method: 'POST', body, headers })
    await answer.arrayBuffer()
    assert(answer.status >= 400 && answer.status < 500)
    return answer.status
  }
  const ticksOf = async (run: () => Promise<number>) => {
    const before = processorTicksOf(server.pid)
    for (let count = 0; count < 200; count += 20) await Promise.all(Array.from({ length: 20 }, run))
    return processorTicksOf(server.pid) - before
  }
  for (const path of ['/v1/session', '/ingest/events', '/v1/admin/tenants']) {
    const ordinary = () => send(path, '{"key":"wrong"}', {})
    const bombs = () => send(path, bomb, { 'content-encoding': 'zstd' })
    await ticksOf(ordinary)
    const [with_, without] = [await ticksOf(bombs), await ticksOf(ordinary)]
    assert(with_ <= 3 * without, `${path}: ${with_} ticks of processor time instead of ${without}`)
  }
  assert.equal(await send('/v1/session', bomb, { 'content-encoding': 'zstd' }), 415)
})

test('one address cannot take all connections', async () => {
  using clients = new Clients()
  const before = await closedBecauseOf('network_limit')
  const opened = 700
  const sockets = []
  for (let count = 0; count < opened; count++) sockets.push(await clients.open('127.0.0.4'))
  await requireService()
  const closed = (await closedBecauseOf('network_limit')) - before
  assert(closed >= opened - 500, `${closed} of ${opened} were closed`)
  // The newest one works.
  const last = sockets.at(-1)
  last?.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const [answer] = (await once(last as Socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 200/)
})
