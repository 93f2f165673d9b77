import assert from 'node:assert/strict'
import { createPublicKey, createSign, createVerify } from 'node:crypto'
import { describe, test } from 'node:test'
import { createSealer } from '../lib/sealer.ts'
import { createDkimKey, openDkimPrivateKey } from './dkim-key.ts'
import { requiredRecords } from './required-records.ts'

const sealer = createSealer(Buffer.alloc(32, 1), 'dkim')

describe('DKIM keys', () => {
  test('the private half signs what the public half verifies, and is kept sealed', async () => {
    const key = await createDkimKey(sealer)
    const pem = openDkimPrivateKey(key, sealer)
    const signature = createSign('RSA-SHA256').update('hello').sign(pem)
    const published = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), type: 'spki', format: 'der' })
    assert.equal(createVerify('RSA-SHA256').update('hello').verify(published, signature), true)
    assert.equal(published.asymmetricKeyDetails?.modulusLength, 2048)
    assert.match(pem, /^-----BEGIN PRIVATE KEY-----/)
    assert.equal(Buffer.from(key.sealedPrivateKey).includes('PRIVATE KEY'), false)
  })

  test('a key sealed under another master key is not opened', async () => {
    const key = await createDkimKey(sealer)
    const other = createSealer(Buffer.alloc(32, 2), 'dkim')
    assert.throws(() => openDkimPrivateKey(key, other), /another master key/)
  })

  test('every key has a selector of its own that is a valid label', async () => {
    const [one, two] = await Promise.all([createDkimKey(sealer), createDkimKey(sealer)])
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
    assert.deepEqual(records, [
      { ...common, purpose: 'DKIM', name: 's1._domainkey.example.com', value: 'v=DKIM1; k=rsa; p=a2V5' },
      { ...common, purpose: 'SPF', name: 'example.com', value: 'v=spf1 include:_spf.mta.test ~all' },
    ])
  })
})
