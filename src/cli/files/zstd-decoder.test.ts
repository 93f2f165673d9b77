import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { constants, zstdCompressSync } from 'node:zlib'
import { isZstd, ZstdDecoder } from './zstd-decoder.ts'

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
const small = [Buffer.from('a'), Buffer.alloc(0), randomBytes(300), Buffer.alloc(900, 'repeated ')]
/** Frames of several blocks: a block holds 128 KiB at most. */
const large = [...small, randomBytes(300_000), Buffer.alloc(400_000, 'repeated ')]

function compress(contents: readonly Buffer[]): Buffer {
  return Buffer.concat(
    contents.flatMap((content) => [zstdCompressSync(content), skippable, zstdCompressSync(content, withChecksum)]),
  )
}

async function decode(bytes: Buffer, chunkBytes: number): Promise<Buffer> {
  const decoder = new ZstdDecoder()
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    parts.push(await decoder.decode(bytes.subarray(at, at + chunkBytes)))
  }
  await decoder.finish()
  return Buffer.concat(parts)
}

for (const [chunkBytes, contents] of [
  [1, small],
  [7, small],
  [1000, large],
  [65_536, large],
  [10_000_000, large],
] as const) {
  test(`all frames of a file are decoded when they arrive ${chunkBytes} bytes at a time`, async () => {
    const found = await decode(compress(contents), chunkBytes)
    assert.ok(found.equals(Buffer.concat(contents.flatMap((content) => [content, content]))))
  })
}

test('bytes that are not zstd are refused, also after frames, and so is a truncated frame', async () => {
  for (const file of [
    Buffer.from('garbage'),
    Buffer.concat([compress(small), Buffer.from('garbage')]),
    compress(large).subarray(0, -5),
  ]) {
    for (const chunkBytes of [7, 999, 10_000_000])
      await assert.rejects(decode(file, chunkBytes), /zstd|frame|end of file/i)
  }
})

test('a growing file returns the content of its bytes so far', async () => {
  const decoder = new ZstdDecoder()
  const first = zstdCompressSync('one\n')
  assert.equal(String(await decoder.decode(first)), 'one\n')
  assert.equal(String(await decoder.decode(first.subarray(0, 3))), '')
  assert.equal(String(await decoder.decode(first.subarray(3))), 'one\n')
  decoder.close()
})

test('the two kinds of frames are recognized, and nothing else', () => {
  assert.ok(isZstd(zstdCompressSync('x')))
  assert.ok(isZstd(skippable))
  for (const other of ['', '{"a', '[{}]', '\x1f\x8b\x08\x00']) assert.ok(!isZstd(Buffer.from(other, 'latin1')))
})
