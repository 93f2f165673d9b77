import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import { BodyMemory, type Loan } from './body-memory.ts'
import { discardBody, readBody, readSmallBody } from './request-body.ts'

const MAX = SERVER_LIMITS.bodyBytes
const HELLO = Buffer.from('{"hello":"world"}')

const FREE: Loan = { reserve: () => undefined, release: () => undefined }

function read(bytes: Buffer, encoding?: string, loan: Loan = FREE, keyId = 'a'): Promise<Buffer> {
  return readBody(Readable.from(chunksOf(bytes)), { 'content-encoding': encoding }, { keyId, loan })
}

/** Compresses to a tenth or so, as events do. */
function eventLike(bytes: number): Buffer {
  const line = (index: number) =>
    `{"id":"${(index * 2_654_435_761) % 4_294_967_296}","recipient":"person@example.net"}\n`
  const lines = Array.from({ length: Math.ceil(bytes / 40) }, (_, index) => line(index))
  return Buffer.from(lines.join('')).subarray(0, bytes)
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

function refused(code: ErrorCode) {
  return (error: unknown) => error instanceof AppError && error.code === code
}

describe('a body is read', () => {
  const cases: [string, Buffer, string | undefined][] = [
    ['as it is', HELLO, undefined],
    ['as it is, when it says identity', HELLO, 'identity'],
    ['as it is, when the header is empty', HELLO, ''],
    ['from gzip', gzipSync(HELLO), 'gzip'],
    ['from gzip by its old name, in capitals', gzipSync(HELLO), 'X-GZIP'],
    ['from several gzip members', Buffer.concat([gzipSync(HELLO.subarray(0, 5)), gzipSync(HELLO.subarray(5))]), 'gzip'],
    ['from zstd', zstdCompressSync(HELLO), 'zstd'],
    [
      'from several zstd frames',
      Buffer.concat([zstdCompressSync(HELLO.subarray(0, 5)), zstdCompressSync(HELLO.subarray(5))]),
      ' zstd ',
    ],
  ]
  for (const [name, bytes, encoding] of cases) {
    test(name, async () => assert.deepEqual(await read(bytes, encoding), HELLO))
  }

  test('up to exactly the limit, plain or compressed', async () => {
    const full = eventLike(MAX)
    assert.equal((await read(full)).length, MAX)
    assert.equal((await read(gzipSync(full), 'gzip')).length, MAX)
    assert.equal((await read(zstdCompressSync(full), 'zstd')).length, MAX)
  })

  test('up to a megabyte if it compresses a thousandfold', async () => {
    const same = Buffer.alloc(SERVER_LIMITS.expandedBytesFree, ' ')
    for (const [encoding, packed] of [
      ['gzip', gzipSync(same)],
      ['zstd', zstdCompressSync(same)],
    ] as const) {
      assert(same.length / packed.length > 900)
      assert.deepEqual(await read(packed, encoding), same)
    }
  })
})

describe('a body is refused', () => {
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'gzip;q=1', 'constructor']) {
    test(`if its encoding is unsupported: ${encoding}`, async () => {
      await assert.rejects(read(HELLO, encoding), refused('unsupported_encoding'))
    })
  }

  test('if it is one byte above the limit, plain or compressed', async () => {
    const over = eventLike(MAX + 1)
    await assert.rejects(read(over), refused('payload_too_large'))
    await assert.rejects(read(gzipSync(over), 'gzip'), refused('payload_too_large'))
    await assert.rejects(read(zstdCompressSync(over), 'zstd'), refused('payload_too_large'))
    const half = zstdCompressSync(over.subarray(0, MAX / 2))
    await assert.rejects(
      read(Buffer.concat([half, half, zstdCompressSync(HELLO)]), 'zstd'),
      refused('payload_too_large'),
    )
  })

  test('if it is truncated, garbage, or followed by garbage', async () => {
    for (const [encoding, packed] of [
      ['gzip', gzipSync(HELLO)],
      ['zstd', zstdCompressSync(HELLO)],
    ] as const) {
      await assert.rejects(read(packed.subarray(0, -3), encoding), refused('invalid_payload'))
      await assert.rejects(read(HELLO, encoding), refused('invalid_payload'))
      await assert.rejects(read(Buffer.alloc(0), encoding), refused('invalid_payload'))
      await assert.rejects(read(Buffer.concat([packed, HELLO]), encoding), refused('invalid_payload'))
    }
  })

  test('if it consists of endless frames', async () => {
    const empty = zstdCompressSync(Buffer.alloc(0))
    const many = Buffer.concat(Array.from({ length: 5000 }, () => empty))
    await assert.rejects(read(many, 'zstd'), refused('invalid_payload'))
  })

  test('if it has more zstd frames than 64 and one for 128 bytes, or than a thousand', async () => {
    const framesOf = (content: Buffer, count: number) =>
      Buffer.concat(Array.from({ length: count }, () => zstdCompressSync(content)))
    const nothing = Buffer.alloc(0)
    // Of nine bytes each.
    assert.deepEqual(await read(framesOf(nothing, 68), 'zstd'), nothing)
    await assert.rejects(read(framesOf(nothing, 69), 'zstd'), refused('invalid_payload'))
    const random = randomBytes(150)
    assert.equal((await read(framesOf(random, 1000), 'zstd')).length, 150_000)
    await assert.rejects(read(framesOf(random, 1001), 'zstd'), refused('invalid_payload'))
  })

  test('with the limit in the message: that of its size as sent, or that of all bodies', async () => {
    await assert.rejects(read(gzipSync(Buffer.alloc(MAX)), 'gzip'), {
      message: /^The request body expands too far: to/,
    })
    await assert.rejects(read(gzipSync(eventLike(MAX + 1)), 'gzip'), { message: /is larger than 16777216 bytes$/ })
  })

  test('if the connection breaks', async () => {
    const payload = new Readable({ read: () => undefined })
    const reading = readBody(payload, {}, { keyId: 'a', loan: FREE })
    payload.push(HELLO)
    payload.destroy(new Error('aborted'))
    await assert.rejects(reading, refused('invalid_payload'))
  })
})

test('decompression of a bomb is stopped early, long before its full size', async () => {
  const sixteenMegabytes = gzipSync(Buffer.alloc(MAX))
  const fourteenGigabytes = Buffer.concat(Array.from({ length: 900 }, () => sixteenMegabytes))
  await assert.rejects(read(fourteenGigabytes, 'gzip'), refused('payload_too_large'))
  const oneFrame = zstdCompressSync(Buffer.alloc(8 * MAX))
  await assert.rejects(read(oneFrame, 'zstd'), refused('payload_too_large'))
  const manyFrames = Buffer.concat(Array.from({ length: 1000 }, () => oneFrame))
  await assert.rejects(read(manyFrames, 'zstd'), refused('payload_too_large'))
})

test('after a refusal, the rest of the body is read and dropped, so that the sender receives the response', async () => {
  const payload = Readable.from(chunksOf(Buffer.alloc(MAX + 10 * 65_536)))
  const ended = new Promise((resolve) => payload.once('end', resolve))
  await assert.rejects(readBody(payload, {}, { keyId: 'a', loan: FREE }), refused('payload_too_large'))
  await ended
})

test('a body that is refused by its headers is read and dropped as well', async () => {
  const refusals = [
    (payload: Readable) => readBody(payload, { 'content-encoding': 'br' }, { keyId: 'a', loan: FREE }),
    (payload: Readable) => readSmallBody(payload, { 'content-encoding': 'gzip' }, 100),
    (payload: Readable) => readSmallBody(payload, { 'content-length': '101' }, 100),
  ]
  for (const refuse of refusals) {
    const payload = Readable.from(chunksOf(Buffer.alloc(200_000)))
    const ended = new Promise((resolve) => payload.once('end', resolve))
    await assert.rejects(refuse(payload))
    await ended
  }
})

test('an unwanted body is read and dropped, up to a limit', async () => {
  await discardBody(Readable.from(chunksOf(Buffer.alloc(SERVER_LIMITS.ignoredBodyBytes))))
  const tooMuch = Readable.from(chunksOf(Buffer.alloc(SERVER_LIMITS.ignoredBodyBytes + 1)))
  await assert.rejects(discardBody(tooMuch), refused('payload_too_large'))
})

describe('a small body', () => {
  test('is never decompressed: its encoding is refused before a byte of it is read', async () => {
    for (const encoding of ['gzip', 'zstd', 'br', 'gzip, identity']) {
      const payload = new Readable({ read: () => undefined })
      await assert.rejects(
        readSmallBody(payload, { 'content-encoding': encoding }, 100),
        refused('unsupported_encoding'),
      )
    }
    assert.deepEqual(await readSmallBody(Readable.from([HELLO]), { 'content-encoding': 'identity' }, 100), HELLO)
  })

  test('is refused by its length before a byte of it is read, and while it is read', async () => {
    const payload = new Readable({ read: () => undefined })
    await assert.rejects(readSmallBody(payload, { 'content-length': '101' }, 100), refused('payload_too_large'))
    await assert.rejects(readSmallBody(Readable.from([Buffer.alloc(101)]), {}, 100), refused('payload_too_large'))
  })
})

describe('the memory shared by request bodies', () => {
  const plain = (bytes: Buffer) => (loan: Loan) => read(bytes, undefined, loan)

  test('refuses a body that does not fit, and is released when a body is done', async () => {
    const memory = new BodyMemory(HELLO.length, HELLO.length)
    await memory.lend('a', async (loan) => {
      await read(HELLO, undefined, loan)
      await assert.rejects(memory.lend('b', plain(HELLO)), refused('overloaded'))
    })
    await memory.lend('b', plain(HELLO))
  })

  test('is not used up by a single key', async () => {
    const memory = new BodyMemory(3 * HELLO.length, HELLO.length)
    await memory.lend('a', async (loan) => {
      await read(HELLO, undefined, loan)
      await assert.rejects(memory.lend('a', plain(HELLO)), refused('overloaded'))
      await memory.lend('b', plain(HELLO))
    })
    await memory.lend('a', plain(HELLO))
  })

  test('is reserved for all that a compressed body may expand to, and then for its two sizes', async () => {
    const packed = gzipSync(Buffer.alloc(1000))
    const largest = SERVER_LIMITS.expandedBytesFree + SERVER_LIMITS.expansionRatio * packed.length
    const memory = new BodyMemory(packed.length + largest, Number.POSITIVE_INFINITY)
    const packedRead = (loan: Loan) => read(packed, 'gzip', loan)
    await memory.lend('a', async (loan) => {
      await packedRead(loan)
      await memory.lend('b', async (other) => other.reserve(largest - 1000))
      await assert.rejects(
        memory.lend('b', async (other) => other.reserve(largest - 999)),
        refused('overloaded'),
      )
    })
    await assert.rejects(memory.lend('a', (loan) => read(packed.subarray(0, -3), 'gzip', loan)))
    await memory.lend('a', packedRead)
    const tight = new BodyMemory(packed.length + largest - 1, Number.POSITIVE_INFINITY)
    await assert.rejects(tight.lend('a', packedRead), refused('overloaded'))
  })
})

test('one key with many compressed bodies does not hold up another, and is refused beyond a limit', async () => {
  const packed = zstdCompressSync(eventLike(MAX / 16))
  const order: string[] = []
  const send = async (keyId: string) => {
    await read(packed, 'zstd', FREE, keyId)
    order.push(keyId)
  }
  const { expandedAtOnce, waitingToExpandPerKey } = SERVER_LIMITS
  const allowed = expandedAtOnce + waitingToExpandPerKey
  const flood = Promise.allSettled(Array.from({ length: allowed + 10 }, () => send('flood')))
  await send('victim')
  const before = order.indexOf('victim')
  assert(before <= 3 * expandedAtOnce, `${before} bodies of the other key came first`)
  const outcomes = await flood
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 10)
})

test('what arrives after a refusal is read and discarded, without memory for it, and an error then changes nothing', async () => {
  const payload = new PassThrough()
  let reserved = 0
  const reserve = () => {
    reserved++
    throw new AppError('overloaded', 'No memory')
  }
  const reading = readBody(payload, {}, { keyId: 'a', loan: { reserve, release: () => undefined } })
  payload.write('x')
  await assert.rejects(reading, refused('overloaded'))
  for (let count = 0; count < 100; count++) payload.write(Buffer.alloc(65_536))
  payload.end()
  await once(payload, 'end')
  payload.emit('error', new Error('reset'))
  assert.equal(reserved, 1)
})
