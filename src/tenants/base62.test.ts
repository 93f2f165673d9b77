import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE62, randomBase62, toBase62 } from './base62.ts'

test('bytes that would favour some characters are discarded and replaced by others', () => {
  const asked: number[] = []
  const bytes = [
    [247, 248, 255, 0],
    [61, 62],
  ]
  const random = (size: number) => {
    asked.push(size)
    return Uint8Array.from(bytes.shift() ?? [])
  }
  assert.equal(randomBase62(4, random), 'z0z0')
  assert.deepEqual(asked, [4, 2])
})

test('random texts have the wanted length and only letters and digits', () => {
  for (const length of [0, 1, 22, 100]) assert.match(randomBase62(length), new RegExp(`^[0-9A-Za-z]{${length}}$`))
  assert.equal(new Set(randomBase62(5000)).size, BASE62.length)
})

test('a number has as many digits as are wanted, the lowest last', () => {
  for (const [value, length, text] of [
    [0, 3, '000'],
    [61, 2, '0z'],
    [62, 2, '10'],
    [62 * 62 + 10, 3, '10A'],
    [62 * 62 + 10, 2, '0A'],
    [5, 0, ''],
  ] as const) {
    assert.equal(toBase62(value, length), text)
  }
})
