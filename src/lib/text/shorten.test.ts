import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shorten } from './shorten.ts'

test('a text is shown up to its length, and with a mark if something is left out', () => {
  assert.equal(shorten('abc', 3), 'abc')
  assert.equal(shorten('abcd', 3), 'abc…')
  assert.equal(shorten('', 3), '')
})
