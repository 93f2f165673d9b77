import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeField, describeSeconds, listSome, listWords, relativeName } from './plain-words.ts'

test('a list is written as in a sentence, and a long one ends in the number of the others', () => {
  assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listWords), ['', 'a', 'a and b', 'a, b and c'])
  assert.equal(listSome(['a', 'b', 'c', 'd', 'e']), 'a, b, c, d, e')
  assert.equal(listSome(['a', 'b', 'c', 'd', 'e', 'f']), 'a, b, c, d, e and 1 more')
  assert.equal(listSome(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a, b, c, d, e and 2 more')
})

test('a time is exact, with a rounded one if that is easier to read', () => {
  for (const [seconds, expected] of [
    [1, '1 second'],
    [119, '119 seconds'],
    [120, '120 seconds (2 minutes)'],
    [5400, '5400 seconds (90 minutes)'],
    [7199, '7199 seconds (120 minutes)'],
    [7200, '7200 seconds (2 hours)'],
    [9000, '9000 seconds (2.5 hours)'],
    [7380, '7380 seconds (2.1 hours)'],
    [172_799, '172799 seconds (48 hours)'],
    [172_800, '172800 seconds (2 days)'],
    [177_120, '177120 seconds (2.1 days)'],
  ] as const) {
    assert.equal(describeSeconds(seconds), expected)
  }
})

test('a name is shown as providers ask for it: without the zone, which their form appends', () => {
  assert.equal(relativeName('s1._domainkey.example.com', 'example.com'), 's1._domainkey')
  assert.equal(relativeName('example.com', 'example.com'), '@')
  assert.equal(relativeName('notexample.com', 'example.com'), 'notexample.com')
  assert.match(describeField('a.example.com', 'example.com'), /of example\.com .* as "a"\.$/)
  assert.match(describeField('example.com', 'example.com'), /as "@", or left empty\.$/)
  for (const unknown of [undefined, '']) assert.equal(describeField('a.example.com', unknown), '')
})
