import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Generation, Keyring, secretId } from './keyring.ts'
import { createSealer } from './sealer.ts'
import { createSigner } from './signer.ts'

function generation(byte: number): Generation {
  const secret = Buffer.alloc(32, byte)
  return { id: secretId(secret), secret, createdAtMs: byte }
}

test('sealers and signers that are kept follow a rotation: the newest seals, all open', () => {
  const keyring = new Keyring([generation(1)])
  const sealer = keyring.sealerFor('a')
  const signer = keyring.signerFor('a')
  const sealed = sealer.seal(Buffer.from('x'))
  const signature = signer.sign('x')
  assert(sealer.isCurrent(sealed))
  keyring.replace([generation(2), generation(1)])
  assert.equal(sealer.open(sealed)?.toString(), 'x')
  assert(!sealer.isCurrent(sealed))
  const renewed = sealer.seal(Buffer.from('y'))
  assert(sealer.isCurrent(renewed))
  assert.equal(createSealer(Buffer.alloc(32, 2), 'a').open(renewed)?.toString(), 'y')
  assert.deepEqual(signer.key, createSigner(Buffer.alloc(32, 2), 'a').key)
  assert.deepEqual(
    signer.older.map((older) => older.sign('x')),
    [signature],
  )
  keyring.replace([generation(2)])
  assert.equal(sealer.open(sealed), undefined)
  assert.deepEqual(signer.older, [])
})

test('sealers for different purposes cannot open each other’s values in any generation', () => {
  const keyring = new Keyring([generation(2), generation(1)])
  const sealed = keyring.sealerFor('a').seal(Buffer.from('x'))
  assert.equal(keyring.sealerFor('b').open(sealed), undefined)
})

test('the id of a secret differs for each, and is not part of it', () => {
  const ids = [1, 2, 3].map((byte) => generation(byte).id)
  assert.equal(new Set(ids).size, 3)
  for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/)
  assert(!generation(1).secret.toString('hex').includes(generation(1).id))
})
