import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../test/harness/code-point.ts'
import { isSameSecret, mintApiKey, parseApiKey } from './api-key.ts'
import { BASE62, randomBase62, toBase62 } from './base62.ts'

describe('API keys', () => {
  test('a minted key has the documented shape', () => {
    assert.match(mintApiKey().key, /^env_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
  })

  test('a minted key is read back as its id and the hash of its secret', () => {
    for (let count = 0; count < 200; count++) {
      const { id, key, secretHash } = mintApiKey()
      assert.deepEqual(parseApiKey(key), { id, secretHash })
      assert.deepEqual(secretHash, createHash('sha256').update(key.slice(17, 60)).digest())
    }
  })

  test('two keys share neither id nor secret', () => {
    const keys = Array.from({ length: 1000 }, () => mintApiKey())
    assert.equal(new Set(keys.map(({ id }) => id)).size, 1000)
    assert.equal(new Set(keys.map(({ secretHash }) => Buffer.from(secretHash).toString('hex'))).size, 1000)
  })

  test('a key with any one character changed is refused', () => {
    const { key } = mintApiKey()
    const place = fc.integer({ min: 0, max: key.length - 1 })
    const character = fc.oneof(fc.constantFrom(...BASE62.split('')), fc.string({ minLength: 1, maxLength: 2 }))
    fc.assert(
      fc.property(place, character, (at, other) => {
        fc.pre(key[at] !== other)
        assert.equal(parseApiKey(key.slice(0, at) + other + key.slice(at + 1)), undefined)
      }),
      { numRuns: 5000 },
    )
  })

  test('a key that is truncated, doubled or has two neighbours swapped is refused', () => {
    const { key } = mintApiKey()
    for (let at = 0; at < key.length; at++) {
      assert.equal(parseApiKey(key.slice(0, at)), undefined)
      assert.equal(parseApiKey(key.slice(0, at) + key.slice(at + 1)), undefined)
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)
      if (swapped !== key) assert.equal(parseApiKey(swapped), undefined)
    }
    for (const text of [
      key + key,
      `${key} `,
      ` ${key}`,
      `${key}\n`,
      `${key}\0`,
      key.toUpperCase(),
      key.toLowerCase(),
    ]) {
      assert.equal(parseApiKey(text), undefined)
    }
  })

  test('no text makes the parser throw', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (text) => parseApiKey(text) === undefined))
  })

  test('only the right secret matches, and an unknown id never does', () => {
    const { secretHash } = mintApiKey()
    assert.equal(isSameSecret(secretHash, Uint8Array.from(secretHash)), true)
    assert.equal(isSameSecret(mintApiKey().secretHash, secretHash), false)
    assert.equal(isSameSecret(undefined, secretHash), false)
    assert.equal(isSameSecret(undefined, new Uint8Array(32)), false)
  })
})

describe('base62', () => {
  test('every character is equally likely: exactly four byte values map to each', () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)
    const text = randomBase62(248, () => everyByte)
    const counts = Map.groupBy(text, (character) => character)
    assert.deepEqual([...counts.keys()].toSorted(), BASE62.split('').toSorted())
    for (const seen of counts.values()) assert.equal(seen.length, 4)
  })

  test('numbers have a fixed width, and the largest CRC32 fits', () => {
    assert.equal(toBase62(0, 6), '000000')
    assert.equal(toBase62(61, 6), '00000z')
    assert.equal(toBase62(62, 6), '000010')
    assert.equal(toBase62(0xffffffff, 6).length, 6)
    assert.notEqual(toBase62(0xffffffff, 6), toBase62(0xfffffffe, 6))
  })
})
