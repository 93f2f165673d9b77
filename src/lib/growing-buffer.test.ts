import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBuffer } from './growing-buffer.ts'

const KIB = 1024

function capacityOf(buffer: GrowingBuffer): number {
  return buffer.bytes.buffer.byteLength
}

test('the chunks come out in order, whatever size was announced', () => {
  const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(index, index))
  const whole = Buffer.concat(chunks)
  for (const announced of [0, 1, whole.length - 1, whole.length, whole.length + 1]) {
    const buffer = new GrowingBuffer(announced)
    for (const chunk of chunks) buffer.add(chunk)
    assert.ok(buffer.bytes.equals(whole), String(announced))
  }
  assert.equal(new GrowingBuffer(0).bytes.length, 0)
})

test('an announced size is allocated at once up to a megabyte, and not believed beyond', () => {
  assert.equal(capacityOf(new GrowingBuffer(0)), 16 * KIB)
  assert.equal(capacityOf(new GrowingBuffer(5)), 5)
  assert.equal(capacityOf(new GrowingBuffer(1024 * KIB)), 1024 * KIB)
  assert.equal(capacityOf(new GrowingBuffer(1024 * KIB + 1)), 16 * KIB)
})

test('a body that arrives byte by byte takes at most twice its size, and is not copied for every byte', () => {
  const buffer = new GrowingBuffer(0)
  const capacities = new Set<number>()
  for (let count = 0; count < 100 * KIB; count++) {
    buffer.add(Buffer.of(count & 255))
    capacities.add(capacityOf(buffer))
  }
  assert.deepEqual([...capacities], [16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB])
  assert.equal(buffer.bytes.length, 100 * KIB)
})

test('a buffer that was announced exactly does not grow', () => {
  const buffer = new GrowingBuffer(8)
  for (let count = 0; count < 2; count++) buffer.add(Buffer.alloc(4))
  assert.equal(capacityOf(buffer), 8)
})
