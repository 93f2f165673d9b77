import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { constants, createZstdDecompress, zstdCompressSync } from 'node:zlib'
import { cutAtFrames, isZstd } from './zstd-frames.ts'

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

async function* inChunks(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

function decode(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  return buffer(Readable.from(chunks).pipe(createZstdDecompress()))
}

for (const [chunkBytes, contents] of [
  [1, small],
  [7, small],
  [1000, large],
  [65_536, large],
  [10_000_000, large],
] as const) {
  test(`frames behind each other are all decoded when they come ${chunkBytes} bytes at a time`, async () => {
    const found = await decode(cutAtFrames(inChunks(compress(contents), chunkBytes)))
    assert.ok(found.equals(Buffer.concat(contents.flatMap((content) => [content, content]))))
  })
}

test('cutting changes no byte, of what is no zstd neither', async () => {
  for (const file of [compress(large), randomBytes(5000), Buffer.concat([compress(small), Buffer.from('garbage')])]) {
    assert.ok((await buffer(Readable.from(cutAtFrames(inChunks(file, 999))))).equals(file))
  }
})

test('the two kinds of frames are recognised, and nothing else', () => {
  assert.ok(isZstd(zstdCompressSync('x')))
  assert.ok(isZstd(skippable))
  for (const other of ['', '{"a', '[{}]', '\x1f\x8b\x08\x00']) assert.ok(!isZstd(Buffer.from(other, 'latin1')))
})
