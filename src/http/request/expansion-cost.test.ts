/** What compressed bodies cost: the limits hold for memory and threads, not only for the answer. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import type { Loan } from './body-memory.ts'
import { readBody } from './request-body.ts'

const MEGABYTE = 1024 * 1024
const FREE: Loan = { reserve: () => undefined, release: () => undefined }

function read(bytes: Buffer, encoding: string, { keyId = 'a', loan = FREE } = {}): Promise<Buffer> {
  return readBody(Readable.from([bytes]), { 'content-encoding': encoding }, { keyId, loan })
}

test('a body that expands without end takes no more memory than the largest that is accepted', async () => {
  const part = Buffer.alloc(SERVER_LIMITS.bodyBytes)
  const parts = Array.from({ length: 24 }, () => part)
  const bombs = [
    ['gzip', Buffer.concat(parts.map((bytes) => gzipSync(bytes)))],
    // In one frame, made piece by piece: the whole of it must not have been in memory before.
    ['zstd', await buffer(Readable.from(parts).pipe(createZstdCompress()))],
  ] as const
  const before = peakBytes()
  for (const [encoding, bomb] of bombs) await assert.rejects(read(bomb, encoding), { code: 'payload_too_large' })
  const taken = peakBytes() - before
  // The whole of it would be 384 MB.
  assert(taken < 8 * SERVER_LIMITS.bodyBytes, `${Math.round(taken / MEGABYTE)} MB`)
})

/** The most memory that this process has had at any time. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024
}

test('few bodies are expanded at the same time, however many arrive with however many keys', async () => {
  const packed = gzipSync(Buffer.alloc(2 * MEGABYTE, '{"a":1}'))
  let expanding = 0
  let most = 0
  const send = async (index: number) => {
    let isExpanding = false
    await read(packed, 'gzip', {
      keyId: `key ${index}`,
      loan: {
        // The largest possible size is reserved when the expansion begins; before that, the size as sent.
        reserve(bytes) {
          if (bytes === packed.length) return
          isExpanding = true
          most = Math.max(most, ++expanding)
        },
        release() {
          if (isExpanding) expanding--
        },
      },
    })
  }
  await Promise.all(Array.from({ length: 12 }, (_, index) => send(index)))
  assert.equal(expanding, 0)
  assert.equal(most, SERVER_LIMITS.expandedAtOnce)
})

test('a body that is refused while it is received is not expanded, and returns what it had', async () => {
  const packed = zstdCompressSync(Buffer.alloc(MEGABYTE))
  const reserved: number[] = []
  const loan: Loan = {
    reserve(bytes) {
      reserved.push(bytes)
      if (bytes > packed.length) throw new Error('no room')
    },
    release: () => assert.fail('nothing was expanded'),
  }
  await assert.rejects(read(packed, 'zstd', { loan }), /no room/)
  assert.equal(reserved.length, 2)
  assert.deepEqual(await read(packed, 'zstd'), Buffer.alloc(MEGABYTE), 'its slot is free again')
})
