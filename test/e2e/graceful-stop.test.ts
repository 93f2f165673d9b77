/** On SIGTERM the server completes requests in flight, accepts no new ones, loses nothing and does not wait for idle clients. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../../src/events/event.ts'
import { type Batch, fingerprint, Ledger } from '../harness/log/ledger.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic, type Traffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
/** The contract says 2 s; a busy machine gets more. A real hang takes much longer. */
const END_MAX_MS = 5000

let installation: Installation
let traffic: Traffic

before(async () => {
  installation = await openInstallation()
  traffic = createTraffic({ domains: installation.domains, now })
})

after(() => installation[Symbol.dispose]())

/** Rejects if the server has not ended in time, counted from the call. */
async function endOf(server: ServerProcess): Promise<number | null> {
  const late = new AbortController()
  const timeout = delay(END_MAX_MS, 'late' as const, { signal: late.signal }).catch(() => 'late' as const)
  const code = await Promise.race([server.exited, timeout])
  late.abort()
  assert(code !== 'late', 'the server has not ended')
  return code
}

/** Resolves when the server has received the signal. Its log level must be info. */
async function closingOf(server: ServerProcess): Promise<void> {
  for (let waitedMs = 0; !server.logs().includes('"closing"'); waitedMs += 10) {
    assert(waitedMs < END_MAX_MS, 'the server has not begun to close')
    await delay(10)
  }
}

function openConnection(server: ServerProcess): Promise<Socket> {
  const { hostname, port } = new URL(server.address)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8').on('error', () => undefined)
  return once(socket, 'connect').then(() => socket)
}

/** Everything until the other side closes. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  if (!socket.closed) await once(socket, 'close')
  return text
}

/** An ingest request whose last byte is not sent yet. */
async function beginIngest(server: ServerProcess, batch: Batch): Promise<{ socket: Socket; lastByte: string }> {
  const body = Buffer.from(JSON.stringify(batch))
  const socket = await openConnection(server)
  const head = [
    'POST /ingest/events HTTP/1.1',
    'host: localhost',
    `authorization: ${installation.ingestKey}`,
    `content-length: ${body.length}`,
    // The interim response means that the server is reading the body.
    'expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [interim] = (await once(socket, 'data')) as [string]
  assert.match(interim, /^HTTP\/1\.1 100 /)
  socket.write(body.subarray(0, -1))
  return { socket, lastByte: body.subarray(-1).toString() }
}

type Outcome = 'stored' | 'refused' | 'cut off'

/** Any other answer, and a truncated answer, fails the test. */
async function send(client: LogClient, batch: Batch): Promise<Outcome> {
  const answer = await client.post(JSON.stringify(batch)).catch((error: unknown) => {
    assert(error instanceof TypeError)
    return 'cut off' as const
  })
  if (answer === 'cut off') return answer
  const body = (await answer.json()) as Record<string, unknown>
  if (answer.status === 200) {
    assert.deepEqual(body, { stored: batch.length, duplicates: 0, rejected: [] })
    return 'stored'
  }
  assert.equal(answer.status, 503)
  assert.deepEqual(Object.keys(body), ['error', 'message'])
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
  return 'refused'
}

async function listAll(client: LogClient): Promise<readonly EmailEvent[]> {
  const window = { start_timestamp: String(now - 5 * DAY), end_timestamp: String(now) }
  const lists = await Promise.all(installation.domains.map((domain) => client.listAll(domain, window)))
  return lists.flat()
}

describe('SIGTERM under load', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: every request is answered completely, refused or cut off; only the events of answered ones are stored`, async () => {
      const outcomes = new Map<Batch, Outcome>()
      {
        await using server = await installation.start()
        const client = new LogClient(server.address, installation)
        const answered = Promise.withResolvers<void>()
        const write = async () => {
          for (let isOpen = true; isOpen; ) {
            const batch = traffic.nextBatch(40, [0, 1, 2])
            const outcome = await send(client, batch)
            outcomes.set(batch, outcome)
            isOpen = outcome === 'stored'
            if (outcomes.size >= 30) answered.resolve()
          }
        }
        const writers = Array.from({ length: 8 }, write)
        await Promise.race([answered.promise, ...writers])
        server.signal(signal)
        assert.equal(await endOf(server), 0)
        await Promise.all(writers)
      }
      await using server = await installation.start()
      const client = new LogClient(server.address, installation)
      const listed = (await listAll(client)).map(fingerprint)
      for (const [batch, outcome] of outcomes) {
        const marks = new Set(batch.map(fingerprint))
        const count = listed.filter((mark) => marks.has(mark)).length
        // Without an answer it may still have been stored, but only as a whole.
        const allowed = outcome === 'stored' ? [batch.length] : outcome === 'refused' ? [0] : [0, batch.length]
        assert(allowed.includes(count), `${outcome}, and ${count} of ${batch.length} events are there`)
      }
      assert.equal(new Set(listed).size, listed.length)
    })
  }

  test('a request that is still being sent is read to its end, stored and answered with 200', async () => {
    const batch = traffic.nextBatch(100, [0, 1])
    const ledger = new Ledger(installation.domains, { fromTimestamp: now - 5 * DAY, toTimestamp: now })
    {
      await using server = await installation.start({ ENVELOG_LOG_LEVEL: 'info' })
      const { socket, lastByte } = await beginIngest(server, batch)
      server.signal('SIGTERM')
      await closingOf(server)
      const answer = readAll(socket)
      socket.write(lastByte)
      const [head = '', body = ''] = (await answer).split('\r\n\r\n', 2)
      assert.match(head, /^HTTP\/1\.1 200 /)
      assert.deepEqual(JSON.parse(body), { stored: batch.length, duplicates: 0, rejected: [] })
      assert.equal(await endOf(server), 0)
    }
    await using server = await installation.start()
    const client = new LogClient(server.address, installation)
    assert.equal((await ledger.send(client, batch)).duplicates, batch.length)
  })

  test('no new connection is accepted while the last request is completed', async () => {
    await using server = await installation.start({ ENVELOG_LOG_LEVEL: 'info' })
    const { socket, lastByte } = await beginIngest(server, traffic.nextBatch(4, [0]))
    server.signal('SIGTERM')
    await closingOf(server)
    const client = new LogClient(server.address, installation)
    // The log line comes first; connections are refused a moment later.
    let outcome: Outcome = 'stored'
    for (let tries = 0; outcome === 'stored' && tries < 100; tries++) {
      outcome = await send(client, traffic.nextBatch(4, [0]))
    }
    assert.notEqual(outcome, 'stored')
    socket.end(lastByte)
    assert.equal(await endOf(server), 0)
  })
})

describe('searches do not delay the end', () => {
  const SEARCHES = 30

  test('those that run and those that wait get 503 at once, and can be repeated', async () => {
    await using server = await installation.start({ ENVELOG_LOG_LEVEL: 'info', ENVELOG_READERS: '1' })
    const client = new LogClient(server.address, installation)
    for (let batch = 0; batch < 10; batch++) await client.ingest(traffic.nextBatch(2000, [0, 1, 2, 3, 4]))
    // Matches nothing, and reads everything.
    const from = new Date((now - 10 * DAY) * 1000).toISOString()
    let answers = 0
    const searches = Array.from({ length: SEARCHES }, async (_, index) => {
      const answer = await client.get(`/v1/events?q=nothing${index}&from=${from}`)
      answers++
      await answer.text()
      return answer.status
    })
    while (answers === 0) await delay(1)
    const before = answers
    server.signal('SIGTERM')
    const statuses = await Promise.all(searches)
    assert.equal(await endOf(server), 0)
    const completed = statuses.filter((status) => status === 200).length
    // A few may be answered while the signal is on its way.
    assert.ok(completed < before + SEARCHES / 2, `${completed} completed, ${before} before the signal`)
    assert.deepEqual(
      [...new Set(statuses)].toSorted((a, b) => a - b),
      [200, 503],
    )
  })
})

describe('idle connections do not delay the end', () => {
  const CONNECTIONS = 300

  test('after a request, kept alive', async () => {
    await using server = await installation.start()
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(server)))
    for (const socket of sockets) {
      socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
      const [answer] = (await once(socket, 'data')) as [string]
      assert.match(answer, /^HTTP\/1\.1 200 .*keep-alive/is)
    }
    server.signal('SIGTERM')
    assert.equal(await endOf(server), 0)
  })

  test('before their first request', async () => {
    await using server = await installation.start()
    await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(server)))
    // Connections are accepted in order: when this one is answered, the others are known to the server.
    assert.equal((await fetch(`${server.address}/healthz`)).status, 200)
    server.signal('SIGTERM')
    assert.equal(await endOf(server), 0)
  })
})

describe('the second signal ends the server at once', () => {
  for (const [first, second, code] of [
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
  ] as const) {
    test(`${first}, then ${second}: exit code ${code}, whatever is in flight`, async () => {
      const batch = traffic.nextBatch(20, [0])
      {
        await using server = await installation.start({ ENVELOG_LOG_LEVEL: 'info' })
        const { socket } = await beginIngest(server, batch)
        server.signal(first)
        await closingOf(server)
        server.signal(second)
        assert.equal(await endOf(server), code)
        assert.equal(await readAll(socket), '')
      }
      await using server = await installation.start()
      const client = new LogClient(server.address, installation)
      assert.deepEqual(await client.ingest(batch), { stored: batch.length, duplicates: 0, rejected: [] })
    })
  }
})
