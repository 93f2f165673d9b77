import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedMessage, WireReader } from './wire-reader.ts'

function label(length: number): Buffer {
  return Buffer.concat([Buffer.of(length), Buffer.alloc(length, 'a')])
}

/** Labels that continue with the name at the given position. */
function pointingTo(target: number, ...labels: readonly Buffer[]): Buffer {
  return Buffer.concat([...labels, Buffer.of(0xc0 | (target >> 8), target & 0xff)])
}

test('a name has at most 255 bytes, also if a pointer continues it', () => {
  // 64 + 64 + 64 + 1 bytes with the length bytes and the root.
  const target = Buffer.concat([label(63), label(63), label(63), Buffer.of(0)])
  const read = (length: number) => {
    const message = Buffer.concat([target, pointingTo(0, label(length))])
    return new WireReader(message, target.length).readName()
  }
  assert.equal(read(61).length, 61 + 3 * 64)
  assert.throws(() => read(62), MalformedMessage)
})

test('the parts of a name add up over several pointers', () => {
  const target = Buffer.concat([label(63), label(63), Buffer.of(0)])
  const between = pointingTo(0, label(63))
  const read = (length: number) => {
    const message = Buffer.concat([target, between, pointingTo(target.length, label(length))])
    return new WireReader(message, target.length + between.length).readName()
  }
  assert.equal(read(61).length, 61 + 3 * 64)
  assert.throws(() => read(62), MalformedMessage)
})
