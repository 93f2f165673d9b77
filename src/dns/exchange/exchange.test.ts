/** What one exchange costs and leaves, over UDP and over TCP. */
import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { type DecodedPacket, decode, encode } from 'dns-packet'
import { type DnsServer, openDnsServer, type ZoneEntry } from '../../../test/harness/dns/dns-server.ts'
import { createQuery } from '../wire/query.ts'
import { parseEndpoint } from './endpoint.ts'
import { exchangeTcp } from './exchange-tcp.ts'
import { exchangeUdp } from './exchange-udp.ts'
import { QueryBudget } from './query-budget.ts'

const NAME = 'asked.test'
const QUESTION = { name: NAME, type: 'TXT', isRecursive: false } as const

function answerTo({ id = 0, questions = [] }: DecodedPacket): Buffer {
  return encode({ type: 'response', id, questions, answers: [{ name: NAME, type: 'TXT', data: ['right'] }] })
}

for (const [transport, exchange] of [
  ['UDP', exchangeUdp],
  ['TCP', exchangeTcp],
] as const) {
  describe(`an exchange over ${transport}`, () => {
    async function run(entry: ZoneEntry, { queries = 5, abort = new AbortController() } = {}) {
      await using server = await openDnsServer({ [NAME]: entry })
      const budget = new QueryBudget(queries)
      const exchanged = await exchange(parseEndpoint(server.address), createQuery(QUESTION, true), abort.signal, budget)
      return { exchanged, budget, server, listeners: getEventListeners(abort.signal, 'abort').length }
    }

    test('spends one query, and leaves no listener at the signal', async () => {
      const { exchanged, budget, listeners } = await run({ txt: [['right']] }, { queries: 1 })
      assert.equal(exchanged.kind, 'message')
      assert.equal(listeners, 0)
      assert.equal(budget.isExceeded, false)
      assert.equal(budget.spend(), false)
    })

    test('may be one over IPv6', async () => {
      await using server = await openDnsServer({ [NAME]: { txt: [['right']] } }, { host: '::1' })
      const { signal } = new AbortController()
      const query = createQuery(QUESTION, true)
      const exchanged = await exchange(parseEndpoint(server.address), query, signal, new QueryBudget(1))
      assert.equal(exchanged.kind, 'message')
    })

    test('sends nothing without a budget', async () => {
      const { exchanged, server, listeners } = await run({ txt: [['right']] }, { queries: 0 })
      assert.deepEqual(exchanged, { kind: 'failure', failure: 'query_limit' })
      assert.equal(server.queries.length, 0)
      assert.equal(listeners, 0)
    })

    test('sends and spends nothing after the signal', async () => {
      const abort = new AbortController()
      abort.abort()
      const { exchanged, server, budget } = await run({ txt: [['right']] }, { queries: 1, abort })
      assert.deepEqual(exchanged, { kind: 'failure', failure: 'silent' })
      assert.equal(server.queries.length, 0)
      assert.equal(budget.spend(), true)
    })

    test('ends with the signal: silent, or malformed if something else came', async () => {
      for (const [answers, failure] of [
        [() => [], 'silent'],
        [(query: DecodedPacket) => [answerTo({ ...query, id: (query.id ?? 0) ^ 1 })], 'malformed'],
      ] as const) {
        const abort = new AbortController()
        const entry: ZoneEntry = (query) => {
          // After the packet has arrived.
          setTimeout(() => abort.abort(), 50)
          return answers(query)
        }
        const { exchanged } = await run(entry, { abort })
        assert.deepEqual(exchanged, { kind: 'failure', failure })
      }
    })
  })
}

describe('a server that is silent over UDP', () => {
  /** An exchange that has sent its first packet. */
  async function start(server: DnsServer, budget: QueryBudget) {
    const abort = new AbortController()
    const asked = server.nextQuery()
    const exchange = exchangeUdp(parseEndpoint(server.address), createQuery(QUESTION, true), abort.signal, budget)
    await asked
    return { abort, exchange }
  }

  test('gets the query again after 750 ms, and then after twice as long each time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    await using server = await openDnsServer({ [NAME]: 'silent' })
    const budget = new QueryBudget(9)
    const spend = t.mock.method(budget, 'spend')
    const { abort, exchange } = await start(server, budget)
    const sent = [749, 1, 1499, 1, 2999, 1].map((ms) => {
      t.mock.timers.tick(ms)
      return spend.mock.callCount()
    })
    assert.deepEqual(sent, [1, 2, 2, 3, 3, 4])
    abort.abort()
    assert.deepEqual(await exchange, { kind: 'failure', failure: 'silent' })
  })

  test('gets nothing more when the budget is used up, or the exchange is over', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    await using server = await openDnsServer({ [NAME]: 'silent' })
    const budget = new QueryBudget(2)
    const { abort, exchange } = await start(server, budget)
    const again = server.nextQuery()
    t.mock.timers.tick(750)
    await again
    assert.equal(budget.isExceeded, false)
    t.mock.timers.tick(1500)
    assert.equal(budget.isExceeded, true)
    abort.abort()
    await exchange
    t.mock.timers.tick(60_000)
    const plenty = new QueryBudget(9)
    const other = await start(server, plenty)
    other.abort.abort()
    await other.exchange
    const spend = t.mock.method(plenty, 'spend')
    t.mock.timers.tick(60_000)
    assert.equal(spend.mock.callCount(), 0)
    assert.equal(server.queries.length, 3)
  })

  test('gets nothing if the caller stops waiting before the socket is ready', async () => {
    await using server = await openDnsServer({ [NAME]: 'silent' })
    const abort = new AbortController()
    const query = createQuery(QUESTION, true)
    const exchange = exchangeUdp(parseEndpoint(server.address), query, abort.signal, new QueryBudget(9))
    abort.abort()
    assert.deepEqual(await exchange, { kind: 'failure', failure: 'silent' })
    // The next packet arrives, and no other before it.
    await start(server, new QueryBudget(1)).then(({ abort: stop, exchange: other }) => {
      stop.abort()
      return other
    })
    assert.equal(server.queries.length, 1)
  })
})

test('a server that sends 64 packets that cannot be used is abandoned; after 63 its answer is found', async () => {
  const after = async (count: number) => {
    const entry: ZoneEntry = (query) => {
      const broken = answerTo(query).subarray(0, 20)
      return [...Array.from({ length: count }, () => broken), answerTo(query)]
    }
    await using server = await openDnsServer({ [NAME]: entry })
    const { signal } = new AbortController()
    return await exchangeUdp(parseEndpoint(server.address), createQuery(QUESTION, true), signal, new QueryBudget(1))
  }
  assert.equal((await after(63)).kind, 'message')
  assert.deepEqual(await after(64), { kind: 'failure', failure: 'malformed' })
})

test('a server that the system sends nothing to is unreachable at once', async () => {
  await using server = await openDnsServer({})
  // As with a firewall that refuses to send: the system reports it for the packet, not for the socket.
  const query = { ...createQuery(QUESTION, true), bytes: Buffer.alloc(70_000) }
  const { signal } = new AbortController()
  const exchanged = await exchangeUdp(parseEndpoint(server.address), query, signal, new QueryBudget(1))
  assert.deepEqual(exchanged, { kind: 'failure', failure: 'unreachable' })
})

/** What comes of a TCP server that answers a query with these chunks, and then closes the connection if `isClosed`. */
async function exchangeChunks(chunksFor: (query: DecodedPacket) => readonly Buffer[], isClosed = false) {
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => undefined)
    socket.once('data', (received) => {
      const chunks = chunksFor(decode(received.subarray(2))).values()
      // Each after the one before has been sent.
      const send = () => {
        const { value: chunk } = chunks.next()
        if (chunk) socket.write(chunk, send)
        else if (isClosed) socket.end()
      }
      send()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = parseEndpoint(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { signal } = new AbortController()
  try {
    return await exchangeTcp(endpoint, createQuery(QUESTION, true), signal, new QueryBudget(1))
  } finally {
    server.close()
  }
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

function foreign(query: DecodedPacket): Buffer {
  return framed(answerTo({ ...query, id: (query.id ?? 0) ^ 1 }))
}

test('an answer over TCP may arrive byte by byte, or together with others', async () => {
  const bytes = await exchangeChunks((query) => Array.from(framed(answerTo(query)), (byte) => Buffer.of(byte)))
  assert.equal(bytes.kind, 'message')
  const joined = await exchangeChunks((query) => [
    Buffer.concat([framed(Buffer.alloc(0)), foreign(query), framed(answerTo(query)), foreign(query)]),
  ])
  assert.equal(joined.kind, 'message')
  const split = await exchangeChunks((query) => {
    const all = Buffer.concat([foreign(query), framed(answerTo(query))])
    const at = foreign(query).length + 1
    return [all.subarray(0, at), all.subarray(at)]
  })
  assert.equal(split.kind, 'message')
})

test('a TCP server that sends eight messages of others is abandoned; after seven its answer is found', async () => {
  const after = (count: number) =>
    exchangeChunks((query) => [...Array.from({ length: count }, () => foreign(query)), framed(answerTo(query))])
  assert.equal((await after(7)).kind, 'message')
  assert.deepEqual(await after(8), { kind: 'failure', failure: 'malformed' })
})

test('a TCP server that refuses the connection is unreachable', async () => {
  const server = await openDnsServer({})
  await server.close()
  const { signal } = new AbortController()
  const query = createQuery(QUESTION, true)
  const exchanged = await exchangeTcp(parseEndpoint(server.address), query, signal, new QueryBudget(1))
  assert.deepEqual(exchanged, { kind: 'failure', failure: 'unreachable' })
})

test('a TCP server that closes the connection without an answer, or within one, has sent a malformed one', async () => {
  assert.deepEqual(await exchangeChunks(() => [], true), { kind: 'failure', failure: 'malformed' })
  const cut = await exchangeChunks((query) => [framed(answerTo(query)).subarray(0, 20)], true)
  assert.deepEqual(cut, { kind: 'failure', failure: 'malformed' })
})
