import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecord, readVarint } from './record.ts'

function decode(...bytes: readonly number[]) {
  return decodeRecord(Buffer.from(bytes))
}

test('values of every type that our tables have', () => {
  assert.deepEqual(decode(1), [])
  assert.deepEqual(decode(4, 0, 8, 9), [null, 0, 1])
  assert.deepEqual(decode(3, 1, 2, 0xff, 0x01, 0x00), [-1, 256])
  assert.deepEqual(decode(4, 3, 4, 5, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 4), [258, 3, 4])
  assert.deepEqual(decode(2, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe), [-2])
  assert.deepEqual(decode(2, 6, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), [Number.MAX_SAFE_INTEGER])
  assert.deepEqual(decode(5, 12, 13, 16, 17, 1, 2, 0x68, 0x69), [new Uint8Array(), '', Uint8Array.of(1, 2), 'hi'])
})

test('a text keeps the mark of the byte order with which it begins', () => {
  assert.deepEqual(decode(2, 21, 0xef, 0xbb, 0xbf, 0x68), ['\ufeffh'])
})

test('bytes that are not exactly one record are refused', () => {
  const refused: Readonly<Record<string, readonly number[]>> = {
    'no byte': [],
    'a header that is longer than the record': [3, 0],
    'a header that is much longer than the record': [0x7f, 8, 9],
    'a type that is continued beyond the header': [2, 0x80, 0x01],
    'a number that is cut off': [2, 2, 1],
    'a text that is cut off': [2, 17, 0x68],
    'one byte more': [2, 1, 1, 1],
    'a number with a point': [2, 7, 0, 0, 0, 0, 0, 0, 0, 0],
    'a type without a meaning': [2, 10],
    'another one': [2, 11],
    'a number that is not exact': [2, 6, 0, 0x20, 0, 0, 0, 0, 0, 0],
    'a text that is none': [2, 15, 0xff],
  }
  for (const [name, bytes] of Object.entries(refused)) {
    assert.throws(() => decode(...bytes), /RangeError|TypeError/, name)
  }
})

test('numbers of variable length are read up to the largest exact one', () => {
  const read = (...bytes: readonly number[]) => readVarint(Buffer.from([0, ...bytes, 0]), 1)
  assert.deepEqual(read(0x7f), { value: 127, end: 2 })
  assert.deepEqual(read(0x81, 0x00), { value: 128, end: 3 })
  const filled = Array<number>(6).fill(0xff)
  assert.deepEqual(read(0x8f, ...filled, 0x7f), { value: Number.MAX_SAFE_INTEGER, end: 9 })
  const zeros = Array<number>(5).fill(0x80)
  assert.throws(() => read(0x90, ...zeros, 0x81, 0x00), RangeError)
  assert.throws(() => read(0xa0, ...zeros, 0x80, 0x00), RangeError)
  assert.throws(() => read(0x80, ...zeros, 0x80, 0x80, 0x01), RangeError)
  assert.throws(() => readVarint(Buffer.from([0x80]), 0), RangeError)
})
