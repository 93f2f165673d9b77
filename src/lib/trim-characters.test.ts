import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trimCharacters } from './trim-characters.ts'

test('only the given characters go, and only from the ends', () => {
  assert.equal(trimCharacters(' \ta b\t ', ' \t'), 'a b')
  assert.equal(trimCharacters('\na\n', ' '), '\na\n')
  assert.equal(trimCharacters('   ', ' '), '')
  assert.equal(trimCharacters('', ' '), '')
})

test('a long run in the middle costs no more than its length', () => {
  const text = `a${' '.repeat(5_000_000)}x`
  assert.equal(trimCharacters(text, ' '), text)
})
