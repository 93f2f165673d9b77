import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Answer, type DecodedPacket, encode } from 'dns-packet'
import {
  type DnsServer,
  type DnsServerOptions,
  openDnsServer,
  type ZoneEntry,
} from '../../../test/harness/dns/dns-server.ts'
import { findRecordSet } from '../answers/record-values.ts'
import { askServer, type Reply } from './ask-server.ts'
import { parseEndpoint } from './endpoint.ts'

const NAME = 'asked.test'
/** For servers that answer in time: far more than they need. */
const LONG_MS = 20_000
/** For servers that never will. */
const SHORT_MS = 150

const never = () => new AbortController().signal

/** The system has closed them by then, but Node lists them until its event loop has turned. */
async function listSockets(): Promise<string[]> {
  await setImmediate()
  await setImmediate()
  return process.getActiveResourcesInfo().filter((name) => /UDP|TCP/.test(name))
}

/** A correct answer to the query, or one with a change. */
function answerTo(query: DecodedPacket, change: Partial<DecodedPacket> = {}): Buffer {
  const answers: Answer[] = [{ name: NAME, type: 'TXT', ttl: 60, data: ['right'] }]
  return encode({ type: 'response', id: query.id ?? 0, questions: query.questions ?? [], answers, ...change })
}

async function ask(entry: ZoneEntry, options: DnsServerOptions & { timeoutMs?: number; signal?: AbortSignal } = {}) {
  await using server = await openDnsServer({ [NAME]: entry }, options)
  return { reply: await askAt(server, options.timeoutMs, options.signal), queries: server.queries }
}

function askAt(server: DnsServer, timeoutMs = LONG_MS, signal = never()): Promise<Reply> {
  return askServer(parseEndpoint(server.address), { name: NAME, type: 'TXT', isRecursive: false }, timeoutMs, signal)
}

function valuesOf(reply: Reply) {
  return reply.kind === 'message' ? findRecordSet(reply.message.answers, NAME, 'TXT')?.values : reply.failure
}

describe('one query to one server', () => {
  afterEach(async () => assert.deepEqual(await listSockets(), [], 'no socket is left behind'))

  describe('over UDP', () => {
    test('an answer of 1232 bytes needs nothing else', async () => {
      const { reply, queries } = await ask({ txt: [Array.from({ length: 4 }, () => 'x'.repeat(250))] })
      assert.deepEqual(valuesOf(reply), ['x'.repeat(1000)])
      assert.deepEqual(
        queries.map(({ transport }) => transport),
        ['udp'],
      )
    })

    test('a query that gets lost is sent again', async () => {
      let asked = 0
      const { reply, queries } = await ask((query) => (++asked === 1 ? [] : [answerTo(query)]))
      assert.deepEqual(valuesOf(reply), ['right'])
      assert.equal(queries.length, 2)
    })

    test('IPv6 works as well', async () => {
      assert.deepEqual(valuesOf((await ask({ txt: [['right']] }, { host: '::1' })).reply), ['right'])
    })

    test('packets that do not match the query are ignored, and the answer after them is found', async () => {
      const stranger = [{ name: 'other.test', type: 'TXT' as const }]
      const noise: Record<string, (query: DecodedPacket) => Buffer> = {
        'a wrong id': (query) => answerTo(query, { id: (query.id ?? 0) ^ 1 }),
        'another name': (query) => answerTo(query, { questions: stranger }),
        'another type': (query) => answerTo(query, { questions: [{ name: NAME, type: 'A' }] }),
        'the question itself': (query) => encode(query),
        'nothing at all': () => Buffer.alloc(0),
        'random bytes': () => randomBytes(300),
        'random bytes with the right id': (query) => Buffer.concat([answerTo(query).subarray(0, 12), randomBytes(300)]),
        'an answer that is cut off': (query) => answerTo(query).subarray(0, -3),
        'a compression loop': (query) => Buffer.concat([answerTo(query).subarray(0, 12), Buffer.of(0xc0, 12)]),
        'sixty kilobytes of nothing': (query) => Buffer.concat([answerTo(query).subarray(0, 2), Buffer.alloc(60_000)]),
      }
      const checks = Object.entries(noise).map(async ([what, create]) => {
        const behind = await ask((query) => [create(query), create(query), answerTo(query)])
        assert.deepEqual(valuesOf(behind.reply), ['right'], what)
        const alone = await ask((query) => [create(query)], { timeoutMs: 700 })
        assert.equal(valuesOf(alone.reply), 'malformed', what)
      })
      await Promise.all(checks)
    })

    test('a silent server fails after the time limit', async () => {
      assert.equal(valuesOf((await ask('silent', { timeoutMs: SHORT_MS })).reply), 'silent')
    })

    test('a closed port is reported at once', async () => {
      const server = await openDnsServer({})
      await server.close()
      assert.equal(valuesOf(await askAt(server)), 'unreachable')
    })

    test('a caller who stops waiting gets an answer at once', async () => {
      const abort = new AbortController()
      await using server = await openDnsServer({ [NAME]: 'silent' })
      const asked = server.nextQuery()
      const reply = askAt(server, LONG_MS, abort.signal)
      await asked
      abort.abort()
      assert.equal(valuesOf(await reply), 'cancelled')
      assert.equal(valuesOf(await askAt(server, LONG_MS, abort.signal)), 'cancelled')
      assert.equal(server.queries.length, 1)
    })

    test('a server that does not support EDNS is queried without it', async () => {
      const { reply, queries } = await ask({ txt: [['right']] }, { knowsEdns: false })
      assert.deepEqual(valuesOf(reply), ['right'])
      assert.equal(queries.length, 2)
    })

    test('a server that always returns FORMERR is an error, not a loop', async () => {
      const { reply, queries } = await ask((query) => [answerTo(query, { answers: [], flags: 4 })])
      assert.ok(reply.kind === 'message' && reply.message.rcode === 4)
      assert.equal(queries.length, 2)
    })
  })

  describe('over TCP, where a datagram has no room', () => {
    const LARGE: ZoneEntry = { txt: Array.from({ length: 20 }, (_, index) => [`${index}`, 'x'.repeat(200)]) }

    test('the whole answer is fetched', async () => {
      const { reply, queries } = await ask(LARGE)
      assert.equal(valuesOf(reply)?.length, 20)
      assert.deepEqual(
        queries.map(({ transport }) => transport),
        ['udp', 'tcp'],
      )
    })

    test('32 KB are read, and an answer with more is refused', async () => {
      const text = (strings: number): ZoneEntry => ({ txt: [Array.from({ length: strings }, () => 'y'.repeat(255))] })
      const { reply } = await ask(text(127))
      assert.deepEqual(
        (valuesOf(reply) as string[]).map((value) => value.length),
        [32_385],
      )
      assert.deepEqual((await ask(text(250))).reply, { kind: 'failure', failure: 'oversize' })
    })

    test('500 records are read, and an answer with more is refused', async () => {
      const addresses = (count: number): ZoneEntry => ({
        txt: Array.from({ length: count }, (_, index) => [`${index}`]),
      })
      assert.equal(valuesOf((await ask(addresses(500))).reply)?.length, 500)
      assert.deepEqual((await ask(addresses(501))).reply, { kind: 'failure', failure: 'oversize' })
    })

    test('a few bytes at a time', async () => {
      assert.equal(valuesOf((await ask(LARGE, { tcp: 'slow' })).reply)?.length, 20)
    })

    for (const tcp of ['refused', 'half', 'silent'] as const) {
      test(`a server whose TCP is ${tcp}: the record is not missing, it could not be fetched`, async () => {
        assert.equal(valuesOf((await ask(LARGE, { tcp, timeoutMs: 500 })).reply), 'truncated')
      })
    }

    test('time runs out in the middle of a slow answer', async () => {
      assert.equal(valuesOf((await ask(LARGE, { tcp: 'slow', timeoutMs: SHORT_MS })).reply), 'truncated')
    })

    const cut = (query: DecodedPacket) => answerTo(query, { answers: [], flags: 1 << 9 })

    test('up to seven messages that do not match the query are ignored', async () => {
      const foreign = (query: DecodedPacket) => answerTo(query, { id: (query.id ?? 0) ^ 1 })
      const after = async (count: number) => {
        const { reply } = await ask((query, transport) =>
          transport === 'udp'
            ? [cut(query)]
            : [...Array.from({ length: count }, () => foreign(query)), answerTo(query)],
        )
        return valuesOf(reply)
      }
      assert.deepEqual(await after(7), ['right'])
      assert.equal(await after(8), 'truncated')
      const empty = await ask((query, transport) =>
        transport === 'udp' ? [cut(query)] : [Buffer.alloc(0), foreign(query), answerTo(query)],
      )
      assert.deepEqual(valuesOf(empty.reply), ['right'])
    })

    test('an answer that is truncated over TCP too is not taken for the whole', async () => {
      const { reply } = await ask((query) => [answerTo(query, { flags: 1 << 9 })])
      assert.equal(valuesOf(reply), 'malformed')
    })

    test('an answer in another letter case may be forged over UDP; over TCP it cannot be', async () => {
      const swapCase = (text: string) =>
        text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
      const forge = (query: DecodedPacket) => {
        const questions = (query.questions ?? []).map(({ name, type }) => ({ name: swapCase(name), type }))
        return answerTo(query, { questions, answers: [{ name: NAME, type: 'TXT', data: ['forged'] }] })
      }
      const { reply } = await ask((query, transport) => [transport === 'udp' ? forge(query) : answerTo(query)])
      assert.deepEqual(valuesOf(reply), ['right'])
      const alone = await ask((query) => [forge(query)], { tcp: 'refused' })
      assert.equal(valuesOf(alone.reply), 'truncated')
    })
  })
})

test('a thousand queries to servers of every kind leave no socket open', async () => {
  {
    await using good = await openDnsServer({ [NAME]: { txt: [['right']] } })
    await using silent = await openDnsServer({ [NAME]: 'silent' })
    await using large = await openDnsServer({ [NAME]: { txt: [Array.from({ length: 9 }, () => 'x'.repeat(250))] } })
    await using broken = await openDnsServer(
      { [NAME]: { txt: [Array.from({ length: 9 }, () => 'x'.repeat(250))] } },
      { tcp: 'half' },
    )
    const servers = [good, silent, large, broken]
    for (let round = 0; round < 25; round++) {
      await Promise.all(servers.flatMap((server) => Array.from({ length: 10 }, () => askAt(server, 20))))
    }
  }
  assert.deepEqual(await listSockets(), [])
})
