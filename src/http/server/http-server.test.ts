import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pacedStream } from '../answers/paced-stream.ts'
import type { CloseReason } from './close-reason.ts'
import { createHttpServer, fitOpenFiles } from './http-server.ts'
import { openFilesMax } from './open-files.ts'
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const HELLO: RequestListener = (_request, response) => void response.end('hello')
const PROXY = '127.0.0.9'

interface Scene extends AsyncDisposable {
  readonly server: Server
  readonly closed: readonly CloseReason[]
  /** A connected client, and the server's side of it. From another address of this machine, if one is given. */
  connect(address?: string): Promise<{ client: Socket; accepted: Socket }>
}

type Handler = (...exchange: Parameters<RequestListener>) => void | Promise<void>

async function openScene(limits: Partial<ServerLimits>, handler: Handler = HELLO): Promise<Scene> {
  const closed: CloseReason[] = []
  const server = createHttpServer((request, response) => void handler(request, response), {
    limits,
    isProxy: (address) => address === PROXY,
    onClosed: (reason) => closed.push(reason),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    closed,
    async connect(localAddress = '127.0.0.1') {
      const accepting = once(server, 'connection') as Promise<[Socket]>
      const client = connect({ port, host: '127.0.0.1', localAddress })
      client.on('error', () => undefined)
      const [accepted] = await accepting
      return { client, accepted }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function ask(client: Socket, request = GET): Promise<string> {
  client.write(request)
  const [answer] = (await once(client, 'data')) as [Buffer]
  return answer.toString()
}

/** With or without an error: a connection that is closed by force may be reset. */
function closing(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve))
}

/** Resolves when the request has reached the handler. */
async function begin(scene: Scene, client: Socket, request: string): Promise<void> {
  const begun = once(scene.server, 'request')
  client.write(request)
  await begun
}

describe('when there are as many connections as allowed', () => {
  test('the longest idle one gives way to a new one, which is answered', async () => {
    await using scene = await openScene({ connections: 3 })
    const [first, second, third] = [await scene.connect(PROXY), await scene.connect(PROXY), await scene.connect(PROXY)]
    // Used last, so it has been idle for the shortest time.
    assert.match(await ask(first.client), /200 OK/)
    const newcomer = await scene.connect(PROXY)
    assert.match(await ask(newcomer.client), /200 OK/)
    assert.deepEqual(
      [first, second, third].map(({ accepted }) => accepted.destroyed),
      [false, true, false],
    )
    assert.deepEqual(scene.closed, ['limit'])
  })

  test('a request that is sent slowly gives way if no connection is idle', async () => {
    await using scene = await openScene({ connections: 2 }, (request) => void request.resume())
    const [waiting, slow] = [await scene.connect(PROXY), await scene.connect(PROXY)]
    await begin(scene, waiting.client, GET)
    await begin(scene, slow.client, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
    await scene.connect(PROXY)
    assert.equal(slow.accepted.destroyed, true)
    assert.equal(waiting.accepted.destroyed, false)
  })

  test('a request that was received as a whole is being answered, and does not give way', async () => {
    await using scene = await openScene({ connections: 2 }, (request) => void request.resume())
    const others = [await scene.connect(PROXY), await scene.connect(PROXY)]
    for (const { client } of others) {
      const requested = once(scene.server, 'request') as Promise<[IncomingMessage]>
      client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab')
      const [request] = await requested
      if (!request.readableEnded) await once(request, 'end')
    }
    assert.equal((await scene.connect(PROXY)).accepted.destroyed, true)
    assert(others.every(({ accepted }) => !accepted.destroyed))
  })

  test('one whose body ends after its response is idle', async () => {
    await using scene = await openScene({ connections: 2 })
    const others = [await scene.connect(PROXY), await scene.connect(PROXY)]
    for (const { client } of others) {
      const requested = once(scene.server, 'request') as Promise<[IncomingMessage]>
      const answered = ask(client, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab')
      const [request] = await requested
      const ended = once(request, 'end')
      assert.match(await answered, /200 OK/)
      client.write('cd')
      await ended
    }
    assert.equal((await scene.connect(PROXY)).accepted.destroyed, false)
    assert.deepEqual(
      others.map(({ accepted }) => accepted.destroyed),
      [true, false],
    )
  })

  test('one that does not read its response gives way, also while the response is still being written', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024)
    await using scene = await openScene({ connections: 2 }, (request, response) => {
      if (request.url === '/busy') return
      response.write(large)
      if (request.url === '/whole') response.end()
    })
    for (const path of ['/whole', '/part']) {
      const busy = await scene.connect(PROXY)
      await begin(scene, busy.client, GET.replace('/', '/busy'))
      const hoarder = await scene.connect(PROXY)
      hoarder.client.pause()
      await begin(scene, hoarder.client, GET.replace('/', path))
      const gone = closing(hoarder.accepted)
      const newcomer = await scene.connect(PROXY)
      await gone
      assert.deepEqual([busy.accepted.destroyed, newcomer.accepted.destroyed], [false, false])
      busy.client.destroy()
      newcomer.client.destroy()
      await Promise.all([closing(busy.accepted), closing(newcomer.accepted)])
    }
    assert.deepEqual(scene.closed, ['limit', 'limit'])
  })

  test('half as many more are accepted for a moment, so that one can give way to each', async () => {
    await using scene = await openScene({ connections: 100 })
    assert.equal(scene.server.maxConnections, 150)
  })

  test('a new one is refused if all others are being answered', async () => {
    await using scene = await openScene({ connections: 2 }, () => undefined)
    const busy = [await scene.connect(PROXY), await scene.connect(PROXY)]
    for (const { client } of busy) await begin(scene, client, GET)
    const { accepted } = await scene.connect(PROXY)
    assert.equal(accepted.destroyed, true)
    assert(busy.every((connection) => !connection.accepted.destroyed))
  })
})

describe('the connections of one address', () => {
  test('give way to each other, and not those of another address', async () => {
    await using scene = await openScene({ connections: 100, connectionsPerNetwork: 3 })
    const victim = await scene.connect('127.0.0.2')
    const flood = []
    for (let index = 0; index < 50; index++) flood.push(await scene.connect('127.0.0.3'))
    assert.deepEqual(
      flood.map(({ accepted }) => accepted.destroyed),
      flood.map((_, index) => index < 47),
    )
    assert.match(await ask(victim.client), /200 OK/)
    assert.deepEqual(new Set(scene.closed), new Set(['network_limit']))
  })

  test('are not limited if it is a proxy', async () => {
    await using scene = await openScene({ connections: 100, connectionsPerNetwork: 3 })
    const clients = []
    for (let index = 0; index < 20; index++) clients.push(await scene.connect(PROXY))
    assert(clients.every(({ accepted }) => !accepted.destroyed))
  })
})

test('a connection that sends nothing, or not all of its headers, is closed', async () => {
  const timeouts = { headersTimeoutMs: 1, requestTimeoutMs: 1, timeoutCheckMs: 10 }
  await using scene = await openScene(timeouts)
  const [silent, slow] = [await scene.connect(), await scene.connect()]
  slow.client.write('GET / HTTP/1.1\r\nHost: ')
  await Promise.all([silent, slow].map(({ client }) => closing(client.resume())))
})

test('a connection stays open for further requests, and is closed when it was idle for as long as allowed', async () => {
  await using scene = await openScene({ keepAliveMs: 100 })
  const { client, accepted } = await scene.connect()
  for (let times = 0; times < 2; times++) assert.match(await ask(client), /hello$/)
  await closing(accepted)
  // Nobody has reached a limit.
  assert.deepEqual(scene.closed, [])
})

test('with more than half of the connections open, idle ones are closed early', async () => {
  const limits = { connections: 4, crowdedKeepAliveMs: 1, timeoutCheckMs: 10 }
  await using scene = await openScene(limits)
  const clients = [await scene.connect(PROXY), await scene.connect(PROXY), await scene.connect(PROXY)]
  await Promise.all(clients.map(({ client }) => closing(client.resume())))
  assert.deepEqual(new Set(scene.closed), new Set(['idle']))
})

describe('a client that does not read its response', () => {
  const LARGE = Buffer.alloc(16 * 1024 * 1024)
  const sendLarge: RequestListener = (_request, response) => void response.end(LARGE)

  test('is disconnected', async () => {
    await using scene = await openScene({ answerStallMs: 100 }, sendLarge)
    const { client, accepted } = await scene.connect()
    client.pause().write(GET)
    await closing(accepted)
    assert.deepEqual(scene.closed, ['stalled'])
  })

  test('is not disconnected while the server itself takes its time', async () => {
    const limits = { answerStallMs: 20 }
    const timeouts = Promise.withResolvers<void>()
    await using scene = await openScene(limits, async (_request, response) => {
      await timeouts.promise
      response.end('late')
    })
    const { client } = await scene.connect()
    const answer = ask(client)
    await once(scene.server, 'timeout')
    timeouts.resolve()
    assert.match(await answer, /late$/)
  })

  test('is disconnected if it reads too slowly', async () => {
    // The first limit never applies: the client keeps reading.
    const limits = { answerStallMs: 500, answerBytesPerSecond: 1024 ** 3, timeoutCheckMs: 10 }
    await using scene = await openScene(limits, sendLarge)
    const { client, accepted } = await scene.connect()
    client.pause().write(GET)
    const reading = setInterval(() => client.read(100_000), 20)
    await closing(accepted)
    clearInterval(reading)
    assert.deepEqual(scene.closed, ['stalled'])
  })

  test('is disconnected, and counted, when a stream of its own pace notices it', async () => {
    const pieces = (async function* () {
      for (;;) yield LARGE
    })()
    await using scene = await openScene({}, (_request, response) => {
      const stream = pacedStream(pieces)
      stream.pipe(response)
      stream.once('pause', () => stream.emit('stalled'))
    })
    const { client, accepted } = await scene.connect()
    client.pause().write(GET)
    await closing(accepted)
    assert.deepEqual(scene.closed, ['stalled'])
  })

  test('holds memory only up to the limit of its address, and the oldest responses give way', async () => {
    const limits = { answerMemoryBytesPerNetwork: 3 * LARGE.length, answerMemoryBytes: 100 * LARGE.length }
    await using scene = await openScene(limits, sendLarge)
    const victim = await scene.connect('127.0.0.2')
    victim.client.pause().write(GET)
    const readers = await openReaders(scene, 10)
    const held = readers.filter(({ accepted }) => !accepted.destroyed)
    assert(held.length <= 3, `${held.length} are held`)
    assert.deepEqual(held, readers.slice(-held.length))
    assert.equal(victim.accepted.destroyed, false)
  })

  test('holds memory only up to the limit of all together', async () => {
    await using scene = await openScene({ answerMemoryBytes: 3 * LARGE.length }, sendLarge)
    const readers = await openReaders(scene, 10, PROXY)
    assert(readers.filter(({ accepted }) => !accepted.destroyed).length <= 3)
    assert.deepEqual(new Set(scene.closed), new Set(['answer_memory']))
  })

  async function openReaders(scene: Scene, count: number, address?: string) {
    const readers = []
    for (let index = 0; index < count; index++) {
      const reader = await scene.connect(address)
      await begin(scene, reader.client.pause(), GET)
      readers.push(reader)
    }
    await setImmediate()
    return readers
  }
})

describe('requests that are sent without waiting for responses', () => {
  test('are handled one at a time and answered in order', async () => {
    let running = 0
    let most = 0
    await using scene = await openScene({}, async (request, response) => {
      most = Math.max(most, ++running)
      await setImmediate()
      running--
      response.end(`<${request.url}>`)
    })
    const { client } = await scene.connect()
    const paths = Array.from({ length: 50 }, (_, index) => `/${index}`)
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    let text = ''
    while (!text.includes('</49>')) text += String(((await once(client, 'data')) as [Buffer])[0])
    assert.deepEqual(
      [...text.matchAll(/<(.*?)>/g)].map(([, path]) => path),
      paths,
    )
    assert.equal(most, 1)
  })

  test('close the connection if there are too many', async () => {
    let handled = 0
    await using scene = await openScene({ pipelinedRequests: 10 }, () => void handled++)
    const { client, accepted } = await scene.connect()
    client.write(GET.repeat(1000))
    await closing(accepted)
    assert.equal(handled, 1)
    assert.deepEqual(scene.closed, ['pipelining'])
  })
})

test('a low limit of open files lowers the limits of connections', () => {
  const limited = fitOpenFiles(SERVER_LIMITS, 1024)
  assert.deepEqual([limited.connections, limited.connectionsPerNetwork], [512, 128])
  assert.deepEqual(fitOpenFiles(SERVER_LIMITS, 65_536), SERVER_LIMITS)
  assert.deepEqual(fitOpenFiles(SERVER_LIMITS, Number.POSITIVE_INFINITY), SERVER_LIMITS)
  assert(openFilesMax() > 0)
  assert.equal(openFilesMax('/nowhere'), Number.POSITIVE_INFINITY)
})
