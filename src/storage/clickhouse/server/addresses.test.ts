/** On servers that answer every request with their name. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createClickHouseServer } from '../../../../test/harness/storage/clickhouse/clickhouse-server.ts'
import { Address, type ServerRequest } from './address.ts'
import { Addresses } from './addresses.ts'

/** Addresses without servers: each gives its answer, or fails. */
function answering(...answers: readonly (string | Error)[]) {
  const asked: number[] = []
  const closed: number[] = []
  const all = answers.map((answer, index) => {
    const address = {
      isAvoided: false,
      avoid: () => void Object.assign(address, { isAvoided: true }),
      request: async () => {
        asked.push(index)
        if (answer instanceof Error) throw answer
        return answer
      },
      close: async () => void closed.push(index),
    }
    return address as unknown as Address
  })
  return { addresses: new Addresses(all), all, asked, closed }
}

const exception = (code: number) => new Error(`Code: ${code}. DB::Exception: x`)
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

/** One address for each name; nobody listens at that of an undefined one. */
async function open(...names: readonly (string | undefined)[]): Promise<Addresses & AsyncDisposable> {
  const servers = names.map((name) => createClickHouseServer((_, response) => response.end(name)))
  const ports: number[] = []
  for (const server of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  for (const [index, server] of servers.entries()) if (names[index] === undefined) server.close()
  const addresses = new Addresses(
    ports.map((port) => new Address({ url: `http://127.0.0.1:${port}`, user: 'u', password: 'p', connections: 1 })),
  )
  return Object.assign(addresses, {
    async [Symbol.asyncDispose]() {
      addresses.close()
      for (const server of servers) server.close()
    },
  })
}

function request(): ServerRequest {
  return { sql: 'SELECT 1', settings: {}, signal: AbortSignal.timeout(30_000) }
}

describe('a request to all addresses', () => {
  test('has the responses of those that answer', async () => {
    await using addresses = await open('a\n', undefined, 'c\n')
    assert.deepEqual(await addresses.all(request()), ['a\n', 'c\n'])
  })

  test('fails if none of them does', async () => {
    await using addresses = await open(undefined, undefined)
    await assert.rejects(addresses.all(request()), { code: 'storage_unavailable' })
    const late = exception(210)
    await assert.rejects(answering(late, exception(62)).addresses.all(request()), (error: Error) => {
      return (error.cause as Error).message.startsWith('Code: 210.')
    })
    await assert.rejects(answering().addresses.all(request()), { code: 'storage_unavailable' })
  })
})

describe('addresses', () => {
  test('take turns, those that are avoided come last', async () => {
    const { addresses, all, asked } = answering('a', 'b', 'c')
    for (let turn = 0; turn < 4; turn++) await addresses.any(request())
    assert.deepEqual(asked.splice(0), [0, 1, 2, 0])
    all[1]?.avoid()
    for (let turn = 0; turn < 3; turn++) await addresses.once(request())
    assert.deepEqual(asked.splice(0), [2, 2, 0])
    assert.equal(await addresses.any(request(), all.slice(1, 2)), 'b')
    assert.equal(await addresses.once(request(), all.slice(1, 2)), 'b')
  })

  test('are tried once each, and are all closed', async () => {
    const { addresses, asked, closed } = answering(exception(210), exception(210), exception(210))
    for (const order of [
      [0, 1, 2],
      [1, 2, 0],
    ]) {
      await assert.rejects(addresses.any(request()), /Code: 210/)
      assert.deepEqual(asked.splice(0), order)
    }
    assert.deepEqual([addresses.failovers, addresses.usable], [4, 0])
    addresses.close()
    assert.deepEqual(closed, [0, 1, 2])
  })

  for (const [what, failure, repeated, isAvoided] of [
    ['a statement that is wrong', exception(62), [], false],
    ['a budget that is used up', exception(159), [], false],
    ['a server that is overloaded', exception(202), ['any'], true],
    ['a connection that breaks', new Error('socket hang up'), ['any'], true],
    ['a connection that is refused', refused, ['any', 'once'], true],
  ] as const) {
    for (const way of ['any', 'once'] as const) {
      const isRepeated = repeated.some((name) => name === way)
      test(`are tried ${isRepeated ? 'again' : 'once'} after ${what}: ${way}`, async () => {
        const { addresses, asked } = answering(failure, 'b')
        if (isRepeated) assert.equal(await addresses[way](request()), 'b')
        else await assert.rejects(addresses[way](request()), failure)
        assert.deepEqual(asked, isRepeated ? [0, 1] : [0])
        assert.deepEqual([addresses.usable, addresses.failovers], [isAvoided ? 1 : 2, isRepeated ? 1 : 0])
      })
    }
  }

  test('are not to blame if the caller has left', async () => {
    const { addresses, asked } = answering(new Error('aborted'), 'b')
    await assert.rejects(addresses.any({ ...request(), signal: AbortSignal.abort() }), /aborted/)
    assert.deepEqual([asked, addresses.usable], [[0], 2])
  })
})

describe('a request that may be repeated', () => {
  test('takes turns, and goes on to the next address if one fails, which is avoided from then on', async () => {
    await using addresses = await open('a\n', undefined, 'c\n')
    assert.deepEqual([addresses.size, addresses.usable, addresses.failovers], [3, 3, 0])
    assert.equal(await addresses.any(request()), 'a\n')
    assert.equal(await addresses.any(request()), 'c\n')
    assert.deepEqual([addresses.usable, addresses.failovers], [2, 1])
    const answers = [await addresses.any(request()), await addresses.any(request()), await addresses.any(request())]
    assert.deepEqual(new Set(answers), new Set(['a\n', 'c\n']))
    assert.equal(addresses.failovers, 1)
  })

  test('fails with what a replica without the newest events says, also if others are away: it may be read otherwise', async () => {
    for (const [answers, message] of [
      [[exception(289), refused], /Code: 289/],
      [[refused, exception(242), exception(210)], /Code: 242/],
      [[exception(242), exception(158)], /Code: 158/],
    ] as const) {
      await assert.rejects(answering(...answers).addresses.any(request()), message)
    }
  })

  test('fails if no address answers', async () => {
    await using addresses = await open(undefined, undefined)
    await assert.rejects(addresses.any(request()), /ECONNREFUSED/)
    assert.deepEqual([addresses.usable, addresses.failovers], [0, 1])
  })
})
