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

test('the work for names is limited for the message as a whole, however many parts it is read in', () => {
  // 127 labels of one byte, and a pointer to each of them: 8128 bytes of labels from a message of 509.
  const target = Buffer.concat([...Array.from({ length: 127 }, () => label(1)), Buffer.of(0)])
  const pointers = Array.from({ length: 127 }, (_, index) => pointingTo(2 * index))
  const message = Buffer.concat([target, ...pointers])
  const readParts = (count: number) => {
    const reader = new WireReader(message, target.length)
    for (let index = 0; index < count; index++) reader.readPart(2).readName()
  }
  assert.doesNotThrow(() => readParts(10))
  assert.throws(() => readParts(127), MalformedMessage)
})

test('a name that is too long is not read to its end', (t) => {
  const message = Buffer.concat(Array.from({ length: 500 }, () => label(63)))
  const subarray = t.mock.method(message, 'subarray')
  assert.throws(() => new WireReader(message).readName(), MalformedMessage)
  assert.ok(subarray.mock.callCount() < 5, `${subarray.mock.callCount()} labels`)
})
