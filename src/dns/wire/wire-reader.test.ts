/** Everything is read exactly up to its bounds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedMessage, WireReader } from './wire-reader.ts'

function label(text: string): readonly number[] {
  return [text.length, ...Buffer.from(text, 'latin1')]
}

function nameIn(...bytes: readonly number[]): string {
  return new WireReader(Buffer.of(...bytes)).readName()
}

test('numbers and bytes may end where the message ends, and not beyond', () => {
  const read = new WireReader(Buffer.of(1, 0, 2, 0, 0, 0, 3, 9, 8))
  assert.deepEqual([read.readUint8(), read.readUint16(), read.readUint32()], [1, 2, 3])
  assert.equal(read.remaining, 2)
  assert.deepEqual([...read.readBytes(2)], [9, 8])
  assert.equal(read.remaining, 0)
  for (const [length, take] of [
    [0, (reader: WireReader) => reader.readUint8()],
    [1, (reader: WireReader) => reader.readUint16()],
    [3, (reader: WireReader) => reader.readUint32()],
    [3, (reader: WireReader) => reader.readBytes(4)],
    [3, (reader: WireReader) => reader.readPart(4)],
  ] as const) {
    assert.throws(() => take(new WireReader(Buffer.alloc(length))), MalformedMessage)
  }
})

test('a part ends before the message does, and is skipped', () => {
  const whole = new WireReader(Buffer.of(7, 1, 2, 3, 9))
  whole.readUint8()
  const part = whole.readPart(3)
  assert.equal(part.remaining, 3)
  assert.deepEqual([...part.readBytes(3)], [1, 2, 3])
  assert.throws(() => part.readUint8(), MalformedMessage)
  assert.equal(whole.readUint8(), 9)
})

test('a name ends within its part, whatever comes after it', () => {
  const message = Buffer.of(...label('ab'), 0, ...label('cd'), 0, 0xc0, 0)
  const within = (start: number, end: number) => new WireReader(message, start, end).readName()
  assert.equal(within(0, 4), 'ab')
  assert.equal(within(4, 8), 'cd')
  assert.equal(within(8, 10), 'ab')
  // Cut off: before the root, within the label, before it, within the pointer.
  for (const [start, end] of [
    [0, 3],
    [0, 2],
    [0, 1],
    [0, 0],
    [8, 9],
  ] as const) {
    assert.throws(() => within(start, end), MalformedMessage, `${start} to ${end}`)
  }
})

test('after a name, the next field begins', () => {
  const reader = new WireReader(Buffer.of(...label('ab'), 0, 5, ...label('c'), 0xc0, 0, 6))
  assert.deepEqual([reader.readName(), reader.readUint8()], ['ab', 5])
  assert.deepEqual([reader.readName(), reader.readUint8()], ['c.ab', 6])
})

test('a pointer leads backwards, and neither to itself nor further', () => {
  const message = Buffer.of(0, 0xc0, 0, 0xc0, 3, 0xc0, 6, 0)
  const at = (offset: number) => new WireReader(message, offset).readName()
  assert.equal(at(1), '')
  assert.throws(() => at(3), MalformedMessage)
  assert.throws(() => at(5), MalformedMessage)
})

test('lengths from 64 to 191 are of no known type of label', () => {
  const long = 'a'.repeat(63)
  assert.equal(nameIn(...label(long), 0), long)
  for (const size of [64, 65, 127, 128, 191]) {
    assert.throws(() => nameIn(size, ...Buffer.alloc(size, 'a'), 0), MalformedMessage, `${size}`)
  }
})

test('a name has at most 255 bytes', () => {
  const most = [63, 63, 63, 61].flatMap((length) => label('a'.repeat(length)))
  assert.equal(nameIn(...most, 0).length, 253)
  const more = [63, 63, 63, 62].flatMap((length) => label('a'.repeat(length)))
  assert.throws(() => nameIn(...more, 0), MalformedMessage)
})

test('every byte of a label has a text of its own, as in a zone file', () => {
  const texts = Array.from({ length: 256 }, (_, byte) => nameIn(1, byte, 0))
  assert.equal(new Set(texts).size, 256)
  for (const [byte, text] of [
    [0x21, '!'],
    [0x7e, '~'],
    [0x2e, '\\.'],
    [0x5c, '\\\\'],
    [0x20, '\\032'],
    [0x7f, '\\127'],
    [0, '\\000'],
    [255, '\\255'],
  ] as const) {
    assert.equal(texts[byte], text)
  }
})
