import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import { BodyMemory, discardBody, readBody } from './request-body.ts'

const MAX = SERVER_LIMITS.bodyBytes
const HELLO = Buffer.from('{"hello":"world"}')

function read(bytes: Buffer, encoding?: string, reserve: (bytes: number) => void = () => undefined): Promise<Buffer> {
  return readBody(Readable.from(chunksOf(bytes)), encoding, reserve)
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
    const full = Buffer.alloc(MAX, ' ')
    assert.equal((await read(full)).length, MAX)
    assert.equal((await read(gzipSync(full), 'gzip')).length, MAX)
    assert.equal((await read(zstdCompressSync(full), 'zstd')).length, MAX)
  })
})

describe('a body is refused', () => {
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'gzip;q=1', 'constructor']) {
    test(`if its encoding is unsupported: ${encoding}`, async () => {
      await assert.rejects(read(HELLO, encoding), refused('unsupported_encoding'))
    })
  }

  test('if it is one byte above the limit, plain or compressed', async () => {
    const over = Buffer.alloc(MAX + 1, ' ')
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

  test('if the connection breaks', async () => {
    const payload = new Readable({ read: () => undefined })
    const reading = readBody(payload, undefined, () => undefined)
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
  await assert.rejects(
    readBody(payload, undefined, () => undefined),
    refused('payload_too_large'),
  )
  await ended
})

test('an unwanted body is read and dropped, up to a limit', async () => {
  await discardBody(Readable.from(chunksOf(Buffer.alloc(SERVER_LIMITS.ignoredBodyBytes))))
  const tooMuch = Readable.from(chunksOf(Buffer.alloc(SERVER_LIMITS.ignoredBodyBytes + 1)))
  await assert.rejects(discardBody(tooMuch), refused('payload_too_large'))
})

describe('the memory shared by request bodies', () => {
  test('refuses a body that does not fit, and is released when a body is done', async () => {
    const memory = new BodyMemory(HELLO.length)
    await memory.lend(async (reserve) => {
      await read(HELLO, undefined, reserve)
      await assert.rejects(
        memory.lend((other) => read(HELLO, undefined, other)),
        refused('overloaded'),
      )
    })
    await memory.lend((reserve) => read(HELLO, undefined, reserve))
  })

  test('includes a compressed body in both forms, and is released after a failure', async () => {
    const packed = gzipSync(Buffer.alloc(1000))
    const memory = new BodyMemory(1000 + packed.length)
    await memory.lend((reserve) => read(packed, 'gzip', reserve))
    await assert.rejects(memory.lend((reserve) => read(packed.subarray(0, -3), 'gzip', reserve)))
    await memory.lend((reserve) => read(packed, 'gzip', reserve))
    const tight = new BodyMemory(999 + packed.length)
    await assert.rejects(
      tight.lend((reserve) => read(packed, 'gzip', reserve)),
      refused('overloaded'),
    )
  })
})
