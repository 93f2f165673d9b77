import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.ts'

function countKept(recent: Recent<number, number>, keys: number): number {
  return Array.from({ length: keys }, (_, key) => recent.find(key)).filter((value) => value !== undefined).length
}

test('at most as many entries are kept as allowed, the newest among them', () => {
  const recent = new Recent<number, number>(10)
  for (let key = 0; key < 1000; key++) {
    recent.keep(key, key)
    assert.equal(recent.find(key), key)
    assert(countKept(recent, 1000) <= 10)
  }
})

test('all of the room is used', () => {
  const recent = new Recent<number, number>(10)
  for (let key = 0; key < 10; key++) recent.keep(key, key)
  assert.equal(countKept(recent, 10), 10)
})

test('a value is made once as long as it is kept, falsy ones included, and again after clearing', () => {
  const recent = new Recent<number>(2)
  let made = 0
  const find = (key: string) =>
    recent.findOrKeep(key, () => {
      made++
      return 0
    })
  assert.deepEqual([find('a'), find('a'), find('b')], [0, 0, 0])
  assert.equal(made, 2)
  for (const key of ['c', 'd', 'e', 'f']) find(key)
  assert.equal(made, 6)
  recent.clear()
  assert.equal(recent.find('f'), undefined)
})
