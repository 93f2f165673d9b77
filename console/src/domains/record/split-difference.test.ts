import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitDifference } from './split-difference.ts'

test('exactly the difference is marked', () => {
  assert.deepEqual(splitDifference('v=spf1 include:a.test ~all', 'v=spf1 include:b.test ~all'), {
    required: ['v=spf1 include:', 'a', '.test ~all'],
    found: ['v=spf1 include:', 'b', '.test ~all'],
  })
  assert.deepEqual(splitDifference('abc', 'ab'), { required: ['ab', 'c', ''], found: ['ab', '', ''] })
  assert.deepEqual(splitDifference('aaa', 'aa'), { required: ['aa', 'a', ''], found: ['aa', '', ''] })
})

test('the parts of any two texts join to the texts again', () => {
  for (const [one, other] of [
    ['', ''],
    ['same', 'same'],
    ['', 'x'],
    ['🙂🙂', '🙂🙃🙂'],
    ['abab', 'ab'],
  ] as const) {
    const { required, found } = splitDifference(one, other)
    assert.deepEqual([required.join(''), found.join('')], [one, other])
  }
})
