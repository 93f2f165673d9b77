import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { readKey } from './dkim-key-text.ts'

const SPKI = { type: 'spki', format: 'der' } as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export(SPKI).toString('base64')
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
})
