import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { findDifference, readKey } from './dkim-key-text.ts'

const SPKI = { type: 'spki', format: 'der' } as const
const { publicKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const rsa = rsaKey.export(SPKI).toString('base64')
const pkcs1 = rsaKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')
const ed25519 = generateKeyPairSync('ed25519').publicKey.export(SPKI)

describe('a published key', () => {
  test('of RSA is read with its length, and spaces do not matter', () => {
    assert.deepEqual(readKey(rsa, 'rsa'), { bits: 1024 })
    assert.deepEqual(readKey(`${rsa.slice(0, 50)} \t${rsa.slice(50)}`, 'rsa'), { bits: 1024 })
  })

  test('of Ed25519 is the bare 32 bytes', () => {
    const bytes = ed25519.subarray(-32)
    assert.deepEqual(readKey(bytes.toString('base64'), 'ed25519'), { bits: 256 })
    for (const other of [bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)]), ed25519])
      assert.equal(readKey(other.toString('base64'), 'ed25519'), undefined)
  })

  test('of another type, damaged or absurdly long is not a key', () => {
    assert.equal(readKey(ed25519.toString('base64'), 'rsa'), undefined)
    for (const text of ['', 'rubbish', `${rsa}=`, rsa.slice(0, -4), rsa.replace(/.$/, '!'), 'A'.repeat(4100)])
      assert.equal(readKey(text, 'rsa'), undefined, text.slice(0, 20))
    assert.equal(readKey('A'.repeat(4100), 'ed25519'), undefined)
  })

  test('of RSA is read up to 3072 bytes', () => {
    const keyOf = (modulusBytes: number) => {
      const jwk = { kty: 'RSA', n: Buffer.alloc(modulusBytes, 0xc1).toString('base64url'), e: 'AQAB' }
      return createPublicKey({ key: jwk, format: 'jwk' }).export(SPKI)
    }
    const [longest, longer] = [keyOf(3034), keyOf(3035)]
    assert.deepEqual([longest.length, longer.length], [3072, 3073])
    assert.deepEqual(readKey(longest.toString('base64'), 'rsa'), { bits: 8 * 3034 })
    assert.equal(readKey(longer.toString('base64'), 'rsa'), undefined)
  })
})

test('what is wrong with a published key is said in its own words', () => {
  const bare = ed25519.subarray(-32).toString('base64')
  const other = generateKeyPairSync('ed25519').publicKey.export(SPKI)
  const swapCase = (text: string) =>
    text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
  for (const [published, wanted, type, diagnosis, words] of [
    [swapCase(rsa), rsa, 'rsa', 'key_damaged', /wrong case/],
    ['ab-_', 'ab+/', 'rsa', 'key_damaged', /has "-" and "_" where/],
    [pkcs1, rsa, 'rsa', 'key_form', /PKCS/],
    [ed25519.toString('base64'), bare, 'ed25519', 'key_form', /SubjectPublicKeyInfo/],
    [other.toString('base64'), bare, 'ed25519', 'other_key', /not ours/],
    // Ends with the key, and is none.
    [
      Buffer.concat([Buffer.alloc(12), ed25519.subarray(-32)]).toString('base64'),
      bare,
      'ed25519',
      'other_key',
      /not ours/,
    ],
  ] as const) {
    const problem = findDifference('name.test', published, wanted, type)
    assert.equal(problem?.diagnosis, diagnosis, published)
    assert.match(problem.text, words)
  }
})
