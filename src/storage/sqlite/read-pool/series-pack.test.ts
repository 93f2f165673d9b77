import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeriesPack, unpackSeries } from './series-pack.ts'

test('counts are unpacked as they were added, with each key written once', () => {
  const written: (number | string)[] = []
  const pack = new SeriesPack((key) => {
    written.push(key)
    return `key ${key}`
  })
  assert.equal(pack.size, 0)
  for (const [hour, key, count] of [
    [10, 7, 1],
    [10, 'a', 2],
    [11, 7, 3],
    [12, 'a', 4],
  ] as const) {
    pack.add(hour, key, count)
  }
  assert.equal(pack.size, 4)
  const packed = pack.finish()
  assert.deepEqual(
    [written, packed.keys],
    [
      [7, 'a'],
      ['key 7', 'key a'],
    ],
  )
  assert.deepEqual(unpackSeries(packed), [
    { hour: 10, key: 'key 7', count: 1 },
    { hour: 10, key: 'key a', count: 2 },
    { hour: 11, key: 'key 7', count: 3 },
    { hour: 12, key: 'key a', count: 4 },
  ])
})
