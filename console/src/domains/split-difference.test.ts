import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitDifference } from './split-difference.ts'

test('what differs is marked, and nothing else', () => {
  assert.deepEqual(splitDifference('v=spf1 include:a.test ~all', 'v=spf1 include:b.test ~all'), {
    wanted: ['v=spf1 include:', 'a', '.test ~all'],
    found: ['v=spf1 include:', 'b', '.test ~all'],
  })
  assert.deepEqual(splitDifference('abc', 'ab'), { wanted: ['ab', 'c', ''], found: ['ab', '', ''] })
  assert.deepEqual(splitDifference('aaa', 'aa'), { wanted: ['aa', 'a', ''], found: ['aa', '', ''] })
})

test('both texts can be put together again from their parts, whatever they are', () => {
  for (const [one, other] of [
    ['', ''],
    ['same', 'same'],
    ['', 'x'],
    ['🙂🙂', '🙂🙃🙂'],
    ['abab', 'ab'],
  ] as const) {
    const { wanted, found } = splitDifference(one, other)
    assert.deepEqual([wanted.join(''), found.join('')], [one, other])
  }
})
