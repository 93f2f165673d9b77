import assert from 'node:assert/strict'
import { createPublicKey, createSign, createVerify, sign, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { createSealer } from '../../lib/sealing/sealer.ts'
import { createDkimKey, dkimRecordValue, openDkimPrivateKey } from './dkim-key.ts'
import { dkimRecord, requiredRecords } from './required-records.ts'

const RSA = { state: 'current', nowMs: 1 } as const
const sealer = createSealer(Buffer.alloc(32, 1), 'dkim')

describe('DKIM keys', () => {
  test('the private half signs what the public half verifies, and is stored sealed', async () => {
    const key = await createDkimKey(sealer, RSA)
    const pem = openDkimPrivateKey(key, sealer)
    const signature = createSign('RSA-SHA256').update('hello').sign(pem)
    const published = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), type: 'spki', format: 'der' })
    assert.equal(createVerify('RSA-SHA256').update('hello').verify(published, signature), true)
    assert.equal(published.asymmetricKeyDetails?.modulusLength, 2048)
    assert.match(pem, /^-----BEGIN PRIVATE KEY-----/)
    assert.equal(Buffer.from(key.sealedPrivateKey).includes('PRIVATE KEY'), false)
  })

  test('an Ed25519 key is published as its 32 bytes, and they verify what the private half signs', async () => {
    const key = await createDkimKey(sealer, { state: 'next', algorithm: 'ed25519', nowMs: 5 })
    assert.deepEqual([key.state, key.algorithm, key.createdAtMs], ['next', 'ed25519', 5])
    const bytes = Buffer.from(key.publicKey, 'base64')
    assert.equal(bytes.length, 32)
    const published = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    })
    const signature = sign(null, Buffer.from('hello'), openDkimPrivateKey(key, sealer))
    assert.equal(verify(null, Buffer.from('hello'), published, signature), true)
    assert.equal(dkimRecordValue(key), `v=DKIM1; k=ed25519; p=${key.publicKey}`)
  })

  test('a key sealed under another master key is not opened', async () => {
    const key = await createDkimKey(sealer, RSA)
    const other = createSealer(Buffer.alloc(32, 2), 'dkim')
    assert.throws(() => openDkimPrivateKey(key, other), /another master key/)
  })

  test('every key has its own selector, which is a valid label', async () => {
    const [one, two] = await Promise.all([createDkimKey(sealer, RSA), createDkimKey(sealer, RSA)])
    assert.match(one.selector, /^env[0-9a-f]{8}$/)
    assert.notEqual(one.selector, two.selector)
  })

  test('the records to publish are DKIM at the selector and SPF at the domain, both required and pending', () => {
    const records = requiredRecords(
      'example.com',
      { selector: 's1', publicKey: 'a2V5' },
      { spfInclude: '_spf.mta.test' },
    )
    const common = { type: 'TXT', required: true, status: 'pending', actual: [] }
    const required = records.filter((record) => record.required)
    assert.deepEqual(required, [
      { ...common, purpose: 'DKIM', name: 's1._domainkey.example.com', value: 'v=DKIM1; k=rsa; p=a2V5' },
      { ...common, purpose: 'SPF', name: 'example.com', value: 'v=spf1 include:_spf.mta.test ~all' },
    ])
    assert.deepEqual(dkimRecord('example.com', { selector: 's1', publicKey: 'a2V5' }), {
      ...records[0],
      required: false,
    })
  })
})
