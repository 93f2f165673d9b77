import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containsPattern, literal, literalList, numberSet } from './literals.ts'

test('texts are quoted so that nothing in them ends the text; numbers are whole', () => {
  assert.equal(literal('a'), "'a'")
  assert.equal(literal("it's a \\ and \0"), "'it\\'s a \\\\ and \\0'")
  assert.equal(literal(12), '12')
  assert.equal(literal(-1), '-1')
  assert.equal(literal(2n ** 64n - 1n), '18446744073709551615')
  for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    assert.throws(() => literal(value), RangeError)
})

test('lists are not empty', () => {
  assert.equal(literalList([1, 'b']), "(1, 'b')")
  assert.throws(() => literalList([]), RangeError)
  assert.throws(() => numberSet('UInt32', []), RangeError)
})

test('up to 100 numbers are listed, more are one text', () => {
  const numbers = Array.from({ length: 101 }, (_, index) => index)
  assert.equal(numberSet('UInt32', numbers.slice(1)), `(${numbers.slice(1).join(', ')})`)
  assert.equal(numberSet('UInt64', numbers), `(SELECT toUInt64(arrayJoin(splitByChar(',', '${numbers.join(',')}'))))`)
})

test('no character of a searched text is special in a pattern', () => {
  assert.equal(containsPattern('100%_\\'), "'%100\\\\%\\\\_\\\\\\\\%'")
})
