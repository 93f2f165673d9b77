import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSigner } from './signer.ts'

const MASTER = Buffer.alloc(32, 7)

test('a signature is valid for one text, one purpose and one key', () => {
  const signature = createSigner(MASTER, 'a').sign('text')
  assert.deepEqual(createSigner(MASTER, 'a').sign('text'), signature)
  for (const other of [
    createSigner(MASTER, 'a').sign('text '),
    createSigner(MASTER, 'b').sign('text'),
    createSigner(Buffer.alloc(32, 8), 'a').sign('text'),
  ]) {
    assert.notDeepEqual(other, signature)
  }
})
